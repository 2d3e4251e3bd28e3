// The exact null distribution of Wilcoxon's signed-rank statistic: T, the sum of those of the ranks
// 1 .. n whose sign is positive, each with probability 1/2. Costs O(n^3) once; n <= kMaxRounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hotlap::plan {

class SignedRank {
 public:
  explicit SignedRank(uint32_t n);

  uint32_t n() const { return n_; }
  uint64_t max() const { return static_cast<uint64_t>(n_) * (n_ + 1) / 2; }
  double at_most(int64_t t) const;     // P(T <= t)
  double two_sided(uint64_t t) const;  // min(1, 2 * the smaller tail), t included
  // How many Walsh averages an interval at 1 - alpha drops at each end, plus one: the largest c
  // with 2 * P(T <= c - 1) <= alpha. 0 where alpha cannot be reached with n values.
  uint64_t critical_rank(double alpha) const;

 private:
  uint32_t n_;
  std::vector<double> at_most_;  // the lower half; the distribution is symmetric
};

// Whether two of |values| are equal or one is zero: then sign_flip_p, not the table above, applies.
bool has_ties_or_zeros(std::span<const double> values);

// Two-sided p of "symmetric about 0": exact signed-rank, or by sign flips where there are ties or
// zeros. 1 for no values. Values must be finite.
double symmetry_p(std::span<const double> values);

}  // namespace hotlap::plan
