#include "harness/plan/hodges_lehmann.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/plan/random.h"
#include "harness/plan/signed_rank.h"

namespace hotlap::plan {
namespace {

using ::testing::ElementsAre;

const std::vector<double> kTen = {0.51, -0.12, 0.83, 0.27, 0.94, -0.35, 0.66, 1.20, 0.08, 0.45};

// By hand: 1, 2, 6 have the averages 1, 1.5, 2, 3.5, 4, 6, whose middle is 2.75.
TEST(HodgesLehmann, ByHand) {
  EXPECT_THAT(walsh_averages(std::vector<double>{6, 1, 2}), ElementsAre(1, 1.5, 2, 3.5, 4, 6));
  EXPECT_DOUBLE_EQ(hodges_lehmann(std::vector<double>{6, 1, 2}), 2.75);
  EXPECT_EQ(hodges_lehmann(std::vector<double>{4}), 4);
  EXPECT_EQ(hodges_lehmann(std::vector<double>{}), 0);
}

// numpy 1.24.2 for the averages; 55 of them, eight cut at each end at 5 %.
TEST(HodgesLehmann, Ten) {
  EXPECT_NEAR(hodges_lehmann(kTen), 0.455, 1e-15);
  const auto interval = hodges_lehmann_interval(kTen, 0.05);
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 0.08);
  EXPECT_DOUBLE_EQ(interval->high, 0.825);
}

TEST(HodgesLehmann, NoneBelowSixOrWhereAlphaIsOutOfReach) {
  const std::vector<double> five = {1, 2, 3, 4, 5};
  const std::vector<double> six = {1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(hodges_lehmann_interval(five, 0.5));
  EXPECT_FALSE(median_interval(five, 0.5));
  EXPECT_FALSE(hodges_lehmann_interval(six, 0.0221));
  EXPECT_FALSE(median_interval(six, 0.0221));
  const auto widest = hodges_lehmann_interval(six, 0.05);
  ASSERT_TRUE(widest);
  EXPECT_EQ(widest->low, 1);
  EXPECT_EQ(widest->high, 6);
}

// P(K <= 2) = 0.0193 at twelve, P(K <= 3) = 0.073: the third from each end.
TEST(HodgesLehmann, MedianIntervalByHand) {
  const std::vector<double> twelve = {12, 1, 2, 11, 3, 4, 10, 5, 6, 7, 9, 8};
  const auto interval = median_interval(twelve, 0.05);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 3);
  EXPECT_EQ(interval->high, 10);
}

TEST(HodgesLehmann, NegatesShiftsAndIgnoresOrder) {
  Random random(6, "equivariant");
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> values(6 + random.below(30));
    for (double& value : values) value = static_cast<double>(random.below(64)) - 20;  // with ties
    std::vector<double> negated;
    for (const double value : values) negated.push_back(-value);
    random.shuffle(std::span<double>(negated));
    EXPECT_EQ(hodges_lehmann(values), -hodges_lehmann(negated));
    const auto interval = hodges_lehmann_interval(values, 0.05);
    const auto mirrored = hodges_lehmann_interval(negated, 0.05);
    ASSERT_TRUE(interval && mirrored);
    EXPECT_EQ(interval->low, -mirrored->high);
    EXPECT_EQ(interval->high, -mirrored->low);
    for (double& value : values) value += 16;
    EXPECT_EQ(hodges_lehmann_interval(values, 0.05)->low, interval->low + 16);
  }
}

// The interval excludes 0 exactly where p says so.
TEST(HodgesLehmann, IntervalIsTheTestInverted) {
  Random random(6, "inverted");
  int excluded = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> values(6 + random.below(35));
    for (double& value : values) value = random.uniform() - 0.4;
    for (const double alpha : {0.05, 0.0221, 0.001}) {
      const auto interval = hodges_lehmann_interval(values, alpha);
      if (!interval) continue;
      EXPECT_EQ(interval->excludes(0), symmetry_p(values) <= alpha);
      excluded += interval->excludes(0) ? 1 : 0;
    }
  }
  EXPECT_GT(excluded, 100);
}

}  // namespace
}  // namespace hotlap::plan
