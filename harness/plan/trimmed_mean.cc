#include "harness/plan/trimmed_mean.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/plan/distribution.h"
#include "harness/plan/hodges_lehmann.h"

namespace hotlap::plan {
namespace {

size_t cut_count(size_t n, double trim) {
  return static_cast<size_t>(std::floor(trim * static_cast<double>(n)));
}

}  // namespace

double trimmed_mean(std::span<const double> values, double trim) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t cut = cut_count(sorted.size(), trim);
  if (sorted.size() <= 2 * cut) return median(values);
  const double sum = std::accumulate(sorted.begin() + static_cast<std::ptrdiff_t>(cut),
                                     sorted.end() - static_cast<std::ptrdiff_t>(cut), 0.0);
  return sum / static_cast<double>(sorted.size() - 2 * cut);
}

std::optional<Interval> trimmed_mean_interval(std::span<const double> values, double alpha,
                                              double trim) {
  const size_t n = values.size();
  const size_t cut = cut_count(n, trim);
  if (n < kMinRounds || n < 2 * cut + 2) return std::nullopt;
  std::vector<double> winsorised(values.begin(), values.end());
  std::sort(winsorised.begin(), winsorised.end());
  for (double& value : winsorised) {
    value = std::clamp(value, winsorised[cut], winsorised[n - 1 - cut]);
  }
  const double mean =
      std::accumulate(winsorised.begin(), winsorised.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (const double value : winsorised) squares += (value - mean) * (value - mean);
  const auto left = static_cast<double>(n - 2 * cut);
  const double error = std::sqrt(squares / (left * (left - 1)));
  const double reach = student_quantile(1 - 0.5 * alpha, left - 1) * error;
  const double centre = trimmed_mean(values, trim);
  return Interval{centre - reach, centre + reach};
}

}  // namespace hotlap::plan
