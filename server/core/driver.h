// Drives a connection by readiness: does what it wants with ordinary calls until it must wait.
#pragma once

#include "server/core/connection.h"

namespace hotlap::server {

// A connection and what it is ready for.
struct Ready {
  Connection* connection;
  std::uint32_t events;  // Interest bits; 0 when its deadline passed
};

// With kReadable from drive(): ask for it anew even where it is what is being waited for, since
// something may be left that an `edge` readiness would not report by itself.
inline constexpr std::uint32_t kAskAgain = 1u << 8;

// What to wait for next (kReadable or kWritable), or kInterestNone: destroy it. Takes one receive
// step an event, so that no connection holds up the others: what is left is reported again.
std::uint32_t drive(const Service& service, ThreadContext& thread, const Ready& ready);

}  // namespace hotlap::server
