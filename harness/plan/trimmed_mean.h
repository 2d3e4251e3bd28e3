// The 20 % trimmed mean: what a typical slice does, beside the totals that keep rare costs in.
#pragma once

#include <optional>
#include <span>

#include "harness/plan/interval.h"

namespace hotlap::plan {

inline constexpr double kTrim = 0.2;  // of the values at each end

// The mean without the floor(trim * n) lowest and highest. 0 for no values.
double trimmed_mean(std::span<const double> values, double trim = kTrim);

// Student's t on h - 1 degrees of freedom over the winsorised standard deviation (Tukey &
// McLaughlin 1963; Yuen 1974), h values being left. None for n < kMinRounds or h < 2.
std::optional<Interval> trimmed_mean_interval(std::span<const double> values, double alpha,
                                              double trim = kTrim);

}  // namespace hotlap::plan
