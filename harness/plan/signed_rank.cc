#include "harness/plan/signed_rank.h"

#include <algorithm>
#include <cmath>

#include "harness/plan/sign_flip.h"

namespace hotlap::plan {

SignedRank::SignedRank(uint32_t n) : n_(n), at_most_(max() / 2 + 1, 0.0) {
  // Probability of each sum, one rank at a time: a rank is in or out, with 1/2 each.
  at_most_[0] = 1;
  for (uint64_t rank = 1; rank <= n; ++rank) {
    const uint64_t reached = std::min<uint64_t>(rank * (rank + 1) / 2, at_most_.size() - 1);
    for (uint64_t sum = reached + 1; sum-- > 0;) {
      const double without = at_most_[sum];
      at_most_[sum] = 0.5 * (without + (sum >= rank ? at_most_[sum - rank] : 0.0));
    }
  }
  for (size_t sum = 1; sum < at_most_.size(); ++sum) at_most_[sum] += at_most_[sum - 1];
}

double SignedRank::at_most(int64_t t) const {
  if (t < 0) return 0;
  const auto sum = static_cast<uint64_t>(t);
  if (sum >= max()) return 1;
  if (sum < at_most_.size()) return at_most_[sum];
  return 1 - at_most_[max() - sum - 1];
}

double SignedRank::two_sided(uint64_t t) const {
  const uint64_t tail = std::min(t, max() - std::min(t, max()));
  return std::min(1.0, 2 * at_most(static_cast<int64_t>(tail)));
}

uint64_t SignedRank::critical_rank(double alpha) const {
  uint64_t critical = 0;
  while (critical < at_most_.size() && 2 * at_most_[critical] <= alpha) ++critical;
  return critical;
}

bool has_ties_or_zeros(std::span<const double> values) {
  std::vector<double> sizes;
  sizes.reserve(values.size() + 1);
  sizes.push_back(0);
  for (const double value : values) sizes.push_back(std::abs(value));
  std::sort(sizes.begin(), sizes.end());
  return std::adjacent_find(sizes.begin(), sizes.end()) != sizes.end();
}

double symmetry_p(std::span<const double> values) {
  if (values.empty()) return 1;
  if (has_ties_or_zeros(values)) return sign_flip_p(values);
  const std::vector<double> ranks = midranks(values);
  double positive = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) positive += ranks[i];
  }
  return SignedRank(static_cast<uint32_t>(values.size()))
      .two_sided(static_cast<uint64_t>(std::llround(positive)));
}

}  // namespace hotlap::plan
