// Tails and quantiles of the textbook distributions that the estimators need, to about 1e-12.
#pragma once

#include <cstdint>

namespace hotlap::plan {

double normal_quantile(double p);                   // p in (0, 1)
double student_tail(double t, double freedom);      // P(T > t)
double student_quantile(double p, double freedom);  // p in (0, 1)
double binomial_at_most(int64_t k, uint32_t n);     // P(K <= k), fair coin, n <= kMaxRounds

}  // namespace hotlap::plan
