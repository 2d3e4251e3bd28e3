// Tails and quantiles of the textbook distributions that the estimators need, to about 1e-12.
#pragma once

#include <cstdint>

namespace hotlap::plan {

double NormalQuantile(double p);                   // p in (0, 1)
double StudentTail(double t, double freedom);      // P(T > t)
double StudentQuantile(double p, double freedom);  // p in (0, 1)
double BinomialAtMost(int64_t k, uint32_t n);      // P(K <= k), fair coin, n <= kMaxRounds

}  // namespace hotlap::plan
