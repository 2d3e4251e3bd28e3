// What a typical block of a round says, beside the round's totals: Evidence::typical.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/plan/slice_value.h"

namespace hotlap::plan {

// By round, ascending: the 20 % trimmed mean over blocks of ln(arm / arm 0). A block that lacks
// either slice is left out, and so is a round without blocks. Slices in any order.
absl::StatusOr<std::vector<double>> typical_by_round(std::span<const SliceValue> slices,
                                                     uint32_t arm);

}  // namespace hotlap::plan
