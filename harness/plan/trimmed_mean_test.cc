#include "harness/plan/trimmed_mean.h"

#include <vector>

#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

const std::vector<double> kEleven = {0.51, -0.12, 0.83, 0.27, 0.94, -0.35,
                                     0.66, 1.20,  0.08, 0.45, 9.0};

// scipy 1.10.1: trim_mean(kEleven, 0.2); interval with mstats.winsorize and t.ppf, by
// sqrt(SS_w / (h (h - 1))); its t quantile is good to 1e-9 only.
TEST(TrimmedMean, AgreesWithScipy) {
  EXPECT_NEAR(trimmed_mean(kEleven), 0.5342857142857144, 1e-14);
  const auto interval = trimmed_mean_interval(kEleven, 0.05);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 0.10497515954102421, 1e-8);
  EXPECT_NEAR(interval->high, 0.9635962690304045, 1e-8);
}

// By hand: of ten the two lowest and highest go.
TEST(TrimmedMean, ByHand) {
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{100, 1, 2, 3, 4, 5, 6, -50, 99, -60}), 3.5);
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(trimmed_mean(std::vector<double>{}), 0);
}

TEST(TrimmedMean, NoneBelowSix) {
  EXPECT_FALSE(trimmed_mean_interval(std::vector<double>{1, 2, 3, 4, 5}, 0.05));
  EXPECT_TRUE(trimmed_mean_interval(std::vector<double>{1, 2, 3, 4, 5, 6}, 0.05));
}

TEST(TrimmedMean, AConstantHasAnIntervalOfNoWidth) {
  const auto interval = trimmed_mean_interval(std::vector<double>(8, 3.0), 0.05);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 3);
  EXPECT_EQ(interval->high, 3);
}

}  // namespace
}  // namespace hotlap::plan
