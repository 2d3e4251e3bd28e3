// Whether arms that share CPUs disturb one another: carry-over from the slice before, and CPU that
// an arm spends while another is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/plan/interval.h"
#include "harness/plan/slice_value.h"

namespace hotlap::plan {

struct CarryOver {
  uint32_t arm = 0;
  uint32_t rounds = 0;             // in which both kinds of slices occurred
  std::optional<double> estimate;  // ln(after another's slice / after its own)
  std::optional<Interval> interval;
  // |estimate| > margin / 2 and the interval excludes 0.
  bool interference = false;
};

// One an arm. Slices in any order; the slice before is that of the same round and set.
absl::StatusOr<std::vector<CarryOver>> estimate_carry_over(std::span<const SliceValue> slices,
                                                           uint32_t arms, double margin,
                                                           double alpha);

inline constexpr double kMaxOutsideShare = 0.01;  // above it the share is named as interference

// Share of an arm's CPU time that it spent outside its own slices; none where it spent none.
std::optional<double> outside_share(int64_t cpu_ns, int64_t cpu_own_slices_ns);

}  // namespace hotlap::plan
