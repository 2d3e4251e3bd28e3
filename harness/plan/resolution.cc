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

double Reach(double alpha) { return NormalQuantile(1 - 0.5 * alpha) + kPowerZ; }

double StandardDeviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (n - 1));
}

// The fewest rounds of which all with one sign give p = 2 / 2^n <= alpha.
uint32_t FewestRounds(double alpha) {
  uint32_t n = kMinRounds;
  while (std::ldexp(2.0, -static_cast<int>(n)) > alpha && n < 1000) ++n;
  return n;
}

}  // namespace

double RobustSpread(std::span<const double> values) {
  const double middle = Median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  const double spread = 1.4826 * Median(deviations);
  const bool all_equal = std::all_of(deviations.begin(), deviations.end(),
                                     [](double deviation) { return deviation == 0; });
  return spread > 0 || all_equal ? spread : StandardDeviation(values);
}

double StandardError(double spread, uint32_t n) {
  return n == 0 ? 0 : spread * std::sqrt(kInverseEfficiency / n);
}

double Resolution(double standard_error, double alpha) { return Reach(alpha) * standard_error; }

std::optional<uint32_t> RoundsToDecide(double spread, double margin, double alpha) {
  if (!(margin > 0)) return std::nullopt;
  const double reach = Reach(alpha) * spread / margin;
  const double rounds = std::ceil(reach * reach * kInverseEfficiency);
  if (!(rounds < std::numeric_limits<uint32_t>::max())) return std::nullopt;
  return std::max(static_cast<uint32_t>(rounds), FewestRounds(alpha));
}

double GatePoint(double margin, double standard_error) { return margin + kPowerZ * standard_error; }

}  // namespace hotlap::plan
