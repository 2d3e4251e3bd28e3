#include "harness/plan/resolution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/plan/distribution.h"
#include "harness/plan/hodges_lehmann.h"

namespace hotlap::plan {
namespace {

double reach_of(double alpha) { return normal_quantile(1 - 0.5 * alpha) + kPowerZ; }

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (n - 1));
}

// The fewest rounds of which all with one sign give p = 2 / 2^n <= alpha.
uint32_t fewest_rounds(double alpha) {
  uint32_t n = kMinRounds;
  while (std::ldexp(2.0, -static_cast<int>(n)) > alpha && n < 1000) ++n;
  return n;
}

}  // namespace

double robust_spread(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  const double spread = 1.4826 * median(deviations);
  const bool all_equal = std::all_of(deviations.begin(), deviations.end(),
                                     [](double deviation) { return deviation == 0; });
  return spread > 0 || all_equal ? spread : standard_deviation(values);
}

double standard_error_of(double spread, uint32_t n) {
  return n == 0 ? 0 : spread * std::sqrt(kInverseEfficiency / n);
}

double resolution(double standard_error, double alpha) { return reach_of(alpha) * standard_error; }

std::optional<uint32_t> rounds_to_decide(double spread, double margin, double alpha) {
  if (!(margin > 0)) return std::nullopt;
  const double reach = reach_of(alpha) * spread / margin;
  const double rounds = std::ceil(reach * reach * kInverseEfficiency);
  if (!(rounds < std::numeric_limits<uint32_t>::max())) return std::nullopt;
  return std::max(static_cast<uint32_t>(rounds), fewest_rounds(alpha));
}

double gate_point(double margin, double standard_error) {
  return margin + kPowerZ * standard_error;
}

}  // namespace hotlap::plan
