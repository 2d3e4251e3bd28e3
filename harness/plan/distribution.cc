#include "harness/plan/distribution.h"

#include <cmath>
#include <limits>

namespace hotlap::plan {
namespace {

// Quantile by bisection of a falling tail: slower than a rational approximation, and as exact as
// the tail itself. Some 100 steps.
template <typename Tail>
double find_tail(Tail tail, double target) {
  double low = 0;
  double high = 1;
  while (tail(high) > target && high < 1e300) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (tail(middle) > target ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Continued fraction of the incomplete beta function (Lentz's method).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double fraction = d;
  const auto step = [&](double coefficient) {
    d = 1 + coefficient * d;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = 1 + coefficient / c;
    if (std::abs(c) < kTiny) c = kTiny;
    fraction *= c * d;
    return std::abs(c * d - 1);
  };
  for (int m = 1; m <= 10000; ++m) {
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    if (step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))) < 1e-15) break;
  }
  return fraction;
}

// ln Gamma with no shared sign variable, unlike std::lgamma: Stirling's series from 15 upwards.
double log_gamma(double x) {
  double shift = 0;
  while (x < 15) {
    shift += std::log(x);
    x += 1;
  }
  const double inverse = 1 / (x * x);
  const double series =
      (1.0 / 12 -
       inverse * (1.0 / 360 - inverse * (1.0 / 1260 - inverse * (1.0 / 1680 - inverse / 1188)))) /
      x;
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + series - shift;
}

// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double normal_quantile(double p) {
  if (p > 0.5) return -normal_quantile(1 - p);
  const double z = find_tail([](double x) { return 0.5 * std::erfc(x * M_SQRT1_2); }, p);
  return p == 0.5 ? 0 : -z;
}

double student_tail(double t, double freedom) {
  const double both = incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
  return t >= 0 ? 0.5 * both : 1 - 0.5 * both;
}

double student_quantile(double p, double freedom) {
  if (p == 0.5) return 0;
  if (p < 0.5) return -student_quantile(1 - p, freedom);
  return find_tail([freedom](double t) { return student_tail(t, freedom); }, 1 - p);
}

double binomial_at_most(int64_t k, uint32_t n) {
  if (k < 0) return 0;
  if (k >= static_cast<int64_t>(n)) return 1;
  double term = std::ldexp(1.0, -static_cast<int>(n));
  double sum = term;
  for (int64_t i = 1; i <= k; ++i) {
    term *= static_cast<double>(n - i + 1) / static_cast<double>(i);
    sum += term;
  }
  return sum < 1 ? sum : 1;
}

}  // namespace hotlap::plan
