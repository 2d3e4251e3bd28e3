#include "harness/plan/age.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/plan/random.h"

namespace hotlap::plan {
namespace {

using ::testing::HasSubstr;

std::vector<AgedValue> sets(double slope) {
  std::vector<AgedValue> values;
  Random random(2, "age");
  for (uint32_t round = 0; round < 12; ++round) {
    for (uint32_t set = 0; set < 4; ++set) {
      values.push_back(
          {round, static_cast<double>(set), 0.01 + slope * set + 0.004 * (random.uniform() - 0.5)});
    }
  }
  return values;
}

TEST(Age, FindsASlope) {
  const auto slope = estimate_age_slope(sets(0.003), 0.05);
  ASSERT_TRUE(slope.ok());
  EXPECT_FALSE(slope->steady);
  EXPECT_NEAR(*slope->estimate, 0.003, 0.0006);
  EXPECT_EQ(slope->rounds, 12U);
}

TEST(Age, NoneInNoise) { EXPECT_TRUE(estimate_age_slope(sets(0), 0.05)->steady); }

// By hand: 0, 1, 2 against 1, 3, 5 is a slope of 2; the round with one age has none.
TEST(Age, ByHand) {
  const std::vector<AgedValue> values = {{0, 2, 5}, {0, 0, 1}, {0, 1, 3}, {1, 4, 7}};
  const auto slope = estimate_age_slope(values, 0.05);
  EXPECT_DOUBLE_EQ(*slope->estimate, 2);
  EXPECT_EQ(slope->rounds, 1U);
  EXPECT_FALSE(slope->interval);
  EXPECT_TRUE(slope->steady);
}

TEST(Age, AnyOrderSameAnswer) {
  std::vector<AgedValue> values = sets(0.001);
  const auto first = estimate_age_slope(values, 0.05);
  Random(3).shuffle(std::span<AgedValue>(values));
  EXPECT_EQ(*estimate_age_slope(values, 0.05)->estimate, *first->estimate);
}

TEST(Age, BadValuesAreNamed) {
  const std::vector<AgedValue> values = {{6, 0, std::nan("")}};
  EXPECT_THAT(std::string(estimate_age_slope(values, 0.05).status().message()),
              HasSubstr("round 6"));
  EXPECT_FALSE(estimate_age_slope({}, 0.05)->estimate);
}

}  // namespace
}  // namespace hotlap::plan
