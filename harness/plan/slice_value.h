// One slice of the timing pass with what it measured: a row for what compares slices and blocks.
#pragma once

#include <cstdint>

namespace hotlap::plan {

struct SliceValue {
  uint32_t round = 0;
  uint32_t set = 0;
  uint32_t block = 0;
  uint32_t position = 0;
  uint32_t arm = 0;
  double value = 0;  // CPU per request, or any other positive value
};

}  // namespace hotlap::plan
