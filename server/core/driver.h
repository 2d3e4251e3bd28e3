// Drives a connection by readiness: does what it wants with ordinary calls until it must wait.
#pragma once

#include "server/core/connection.h"

namespace hotlap::server {

// A connection and what it is ready for.
struct Ready {
  Connection* connection;
  std::uint32_t events;  // Interest bits; 0 when its deadline passed
};

// What to wait for next (kReadable or kWritable), or kInterestNone: destroy it. Takes one receive
// step an event: what is left, a level-triggered wait reports.
std::uint32_t drive(const Service& service, ThreadContext& thread, const Ready& ready);

}  // namespace hotlap::server
