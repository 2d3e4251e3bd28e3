// Where the middle of a run's round values lies, and within which interval. All are equivariant:
// negated values give the negated answer, and the order of values does not matter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/plan/interval.h"

namespace hotlap::plan {

inline constexpr uint32_t kMinRounds = 6;  // fewer give no interval, no p and no verdict

double median(std::span<const double> values);  // 0 for none

// Means of all pairs i <= j, sorted. n (n + 1) / 2 of them.
std::vector<double> walsh_averages(std::span<const double> values);

// The median of the Walsh averages (Hodges & Lehmann 1963).
double hodges_lehmann(std::span<const double> values);

// Its interval at 1 - alpha, from the exact signed-rank distribution. None for n < kMinRounds, or
// where n values cannot reach alpha.
std::optional<Interval> hodges_lehmann_interval(std::span<const double> values, double alpha);

// Interval of the median from the sign test: order statistics by the binomial distribution.
std::optional<Interval> median_interval(std::span<const double> values, double alpha);

}  // namespace hotlap::plan
