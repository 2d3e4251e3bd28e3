// What one attempt at input or output came to. Shared by receive, transport and the machine.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace hotlap::server {

enum class IoStatus : std::uint8_t {
  kDone,       // `bytes` were moved (at least one)
  kNeedRead,   // try again when the descriptor is readable
  kNeedWrite,  // try again when the descriptor is writable
  kEnd,        // the peer will send no more
  kFailed,     // the connection is of no further use
};

struct IoResult {
  IoStatus status;
  std::size_t bytes = 0;
};

}  // namespace hotlap::server
