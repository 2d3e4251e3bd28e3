// How much a receive variant that goes on until nothing is left takes before the bytes are looked
// at: without a bound a sender faster than the server would fill its memory.
#pragma once

#include "server/stages/receive.h"

namespace hotlap::variants {

inline constexpr std::size_t kMaxBytesAnEvent = 256 * 1024;

struct BytesThisEvent {
  std::size_t bytes;
};

// What the attempt `io` came to, as a step: another one follows as long as bytes keep coming.
inline server::ReceiveStep step_until_eagain(void* state, server::IoResult io, bool first) {
  std::size_t& taken = static_cast<BytesThisEvent*>(state)->bytes;
  if (first) taken = 0;
  taken += io.bytes;
  return {io, io.status == server::IoStatus::kDone && taken < kMaxBytesAnEvent};
}

}  // namespace hotlap::variants
