// Whether the difference between arms changes with the age of processes and connections.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "harness/plan/interval.h"

namespace hotlap::plan {

struct AgedValue {
  uint32_t round = 0;
  double age = 0;  // the set's index, or requests served before: any unit
  double d = 0;    // ln(B / A) of that set
};

struct AgeSlope {
  uint32_t rounds = 0;             // with at least two ages
  std::optional<double> estimate;  // change of d per unit of age: HL over the rounds' slopes
  std::optional<Interval> interval;
  bool steady = true;  // false where the interval excludes 0: `not steady`
};

absl::StatusOr<AgeSlope> estimate_age_slope(std::span<const AgedValue> values, double alpha);

}  // namespace hotlap::plan
