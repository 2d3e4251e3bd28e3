#include "harness/plan/hodges_lehmann.h"

#include <algorithm>

#include "harness/plan/distribution.h"
#include "harness/plan/signed_rank.h"

namespace hotlap::plan {
namespace {

double middle_of_sorted(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return 0.5 * (sorted[half - 1] + sorted[half]);
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return middle_of_sorted(sorted);
}

std::vector<double> walsh_averages(std::span<const double> values) {
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i; j < values.size(); ++j) averages.push_back(0.5 * (values[i] + values[j]));
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

double hodges_lehmann(std::span<const double> values) {
  return middle_of_sorted(walsh_averages(values));
}

std::optional<Interval> hodges_lehmann_interval(std::span<const double> values, double alpha) {
  if (values.size() < kMinRounds) return std::nullopt;
  const uint64_t critical = SignedRank(static_cast<uint32_t>(values.size())).critical_rank(alpha);
  if (critical == 0) return std::nullopt;
  const std::vector<double> averages = walsh_averages(values);
  return Interval{averages[critical - 1], averages[averages.size() - critical]};
}

std::optional<Interval> median_interval(std::span<const double> values, double alpha) {
  const auto n = static_cast<uint32_t>(values.size());
  if (n < kMinRounds) return std::nullopt;
  uint32_t drop = 0;  // the largest with P(K <= drop - 1) <= alpha / 2
  while (2 * binomial_at_most(drop, n) <= alpha) ++drop;
  if (drop == 0) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return Interval{sorted[drop - 1], sorted[n - drop]};
}

}  // namespace hotlap::plan
