// Stage `date`: the 29 bytes of the Date header. State: one a thread, zeroed at its start.
// What it writes is never more than a second behind the clock.
#pragma once

#include "server/stages/variant.h"

namespace hotlap::server {

inline constexpr std::size_t kDateBytes = 29;

struct DateStage {
  VariantInfo info;
  void (*write)(void* state, char* out);  // exactly kDateBytes, no terminator
};

}  // namespace hotlap::server
