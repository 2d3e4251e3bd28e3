#include "harness/plan/age.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/plan/hodges_lehmann.h"

namespace hotlap::plan {
namespace {

// Least squares within one round; none where all ages are the same.
std::optional<double> slope_of(const std::vector<AgedValue>& values) {
  const auto n = static_cast<double>(values.size());
  double age = 0;
  double d = 0;
  for (const AgedValue& value : values) {
    age += value.age / n;
    d += value.d / n;
  }
  double product = 0;
  double square = 0;
  for (const AgedValue& value : values) {
    product += (value.age - age) * (value.d - d);
    square += (value.age - age) * (value.age - age);
  }
  if (!(square > 0)) return std::nullopt;
  return product / square;
}

}  // namespace

absl::StatusOr<AgeSlope> estimate_age_slope(std::span<const AgedValue> values, double alpha) {
  std::map<uint32_t, std::vector<AgedValue>> rounds;
  for (const AgedValue& value : values) {
    if (!std::isfinite(value.age) || !std::isfinite(value.d)) {
      return absl::InvalidArgumentError(absl::StrCat("round ", value.round, " has age ", value.age,
                                                     " and difference ", value.d,
                                                     ": both must be finite; leave the set out"));
    }
    rounds[value.round].push_back(value);
  }
  std::vector<double> slopes;
  for (auto& [round, sets] : rounds) {
    // So that sums, and with them the last digit, do not depend on the order given.
    std::sort(sets.begin(), sets.end(), [](const AgedValue& x, const AgedValue& y) {
      return std::pair(x.age, x.d) < std::pair(y.age, y.d);
    });
    if (const auto slope = slope_of(sets)) slopes.push_back(*slope);
  }
  AgeSlope result;
  result.rounds = static_cast<uint32_t>(slopes.size());
  if (slopes.empty()) return result;
  result.estimate = hodges_lehmann(slopes);
  result.interval = hodges_lehmann_interval(slopes, alpha);
  result.steady = !result.interval || result.interval->contains(0);
  return result;
}

}  // namespace hotlap::plan
