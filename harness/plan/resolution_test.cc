#include "harness/plan/resolution.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

const std::vector<double> kTen = {0.51, -0.12, 0.83, 0.27, 0.94, -0.35, 0.66, 1.20, 0.08, 0.45};

// scipy 1.10.1: 1.4826 * median_abs_deviation(kTen).
TEST(Resolution, SpreadAgreesWithScipy) { EXPECT_NEAR(robust_spread(kTen), 0.555975, 1e-12); }

TEST(Resolution, SpreadOfMostlyEqualValuesIsNotZero) {
  EXPECT_EQ(robust_spread(std::vector<double>(9, 2.0)), 0);
  // Mean 0.5, squares 7 * 0.25 + 3.5^2 = 14 over 7.
  EXPECT_DOUBLE_EQ(robust_spread(std::vector<double>{0, 0, 0, 0, 0, 0, 0, 4}), std::sqrt(2.0));
}

TEST(Resolution, Formulas) {
  EXPECT_NEAR(standard_error_of(2, 16), 2 * std::sqrt(1.047 / 16), 1e-15);
  EXPECT_EQ(standard_error_of(2, 0), 0);
  EXPECT_NEAR(resolution(0.1, 0.05), 0.1 * (1.959963984540054 + 1.645), 1e-12);
  EXPECT_NEAR(gate_point(0.5, 0.1), 0.6645, 1e-12);
}

// By scipy 16.82 rounds.
TEST(Resolution, RoundsToDecide) {
  EXPECT_EQ(rounds_to_decide(0.555975, 0.5, 0.05), 17U);
  EXPECT_FALSE(rounds_to_decide(1, 0, 0.05));
  EXPECT_FALSE(rounds_to_decide(1, 1e-9, 0.05));
  // No spread: still as many as it takes to reach alpha, 2 / 2^n.
  EXPECT_EQ(rounds_to_decide(0, 0.5, 0.05), 6U);
  EXPECT_EQ(rounds_to_decide(0, 0.5, 0.001), 11U);
}

// That many rounds give a resolution of the margin.
TEST(Resolution, RoundsToDecideIsResolutionInverted) {
  for (const double spread : {0.3, 1.0, 2.7}) {
    const uint32_t n = *rounds_to_decide(spread, 0.5, 0.0221);
    EXPECT_LE(resolution(standard_error_of(spread, n), 0.0221), 0.5);
    if (n > 7) {
      EXPECT_GT(resolution(standard_error_of(spread, n - 1), 0.0221), 0.5);
    }
  }
}

}  // namespace
}  // namespace hotlap::plan
