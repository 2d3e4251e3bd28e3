#include "harness/plan/interference.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/plan/random.h"
#include "harness/plan/schedule.h"

namespace hotlap::plan {
namespace {

using ::testing::HasSubstr;

// Twelve rounds by the real schedule; arm 1 pays `penalty` after a slice of another arm.
std::vector<SliceValue> make_slices(double penalty, double noise) {
  std::vector<SliceValue> slices;
  Random random(21, "noise");
  for (uint32_t round = 0; round < 12; ++round) {
    const RoundDraw draw = draw_round(5, "timing", round, 2, 2, 40);
    for (uint32_t set = 0; set < 2; ++set) {
      uint32_t before = 9;
      for (uint32_t block = 0; block < 40; ++block) {
        for (uint32_t position = 0; position < 2; ++position) {
          const uint32_t arm = draw.sets[set].blocks[block][position];
          const bool pays = arm == 1 && before == 0;
          slices.push_back({round, set, block, position, arm,
                            std::exp((pays ? penalty : 0) + noise * (random.uniform() - 0.5))});
          before = arm;
        }
      }
    }
  }
  return slices;
}

TEST(Interference, FindsWhoPaysAfterWhom) {
  std::vector<SliceValue> slices = make_slices(0.02, 0.02);
  Random(1).shuffle(std::span<SliceValue>(slices));  // any order
  const auto arms = estimate_carry_over(slices, 2, 0.005, 0.05);
  ASSERT_TRUE(arms.ok());
  ASSERT_EQ(arms->size(), 2U);
  EXPECT_FALSE((*arms)[0].interference);
  EXPECT_TRUE((*arms)[1].interference);
  EXPECT_NEAR(*(*arms)[1].estimate, 0.02, 0.002);
  EXPECT_EQ((*arms)[1].rounds, 12U);
}

TEST(Interference, NoneInNoise) {
  const auto arms = estimate_carry_over(make_slices(0, 0.02), 2, 0.005, 0.05);
  for (const CarryOver& arm : *arms) EXPECT_FALSE(arm.interference) << arm.arm;
}

// By hand: blocks AB, BA: B's second slice follows its own, at ln 2 less.
TEST(Interference, ByHand) {
  const std::vector<SliceValue> slices = {
      {0, 0, 0, 0, 0, 1}, {0, 0, 0, 1, 1, 4}, {0, 0, 1, 0, 1, 2}, {0, 0, 1, 1, 0, 1}};
  const auto arms = estimate_carry_over(slices, 2, 0.005, 0.05);
  EXPECT_FALSE((*arms)[0].estimate);
  EXPECT_NEAR(*(*arms)[1].estimate, std::log(2), 1e-15);
  EXPECT_FALSE((*arms)[1].interval);
}

TEST(Interference, ASetsFirstSliceAndOneAfterAGapFollowNothing) {
  const std::vector<SliceValue> slices = {
      {0, 0, 0, 1, 1, 4}, {0, 1, 0, 0, 1, 2}, {0, 1, 2, 0, 1, 2}};
  const auto arms = estimate_carry_over(slices, 2, 0.005, 0.05);
  EXPECT_EQ((*arms)[1].rounds, 0U);
}

TEST(Interference, BadSlicesAreNamed) {
  for (const SliceValue& bad : {SliceValue{3, 1, 4, 1, 0, 0}, SliceValue{3, 1, 4, 1, 2, 1},
                                SliceValue{3, 1, 4, 1, 0, std::nan("")}}) {
    const auto arms = estimate_carry_over(std::vector<SliceValue>{bad}, 2, 0.005, 0.05);
    ASSERT_FALSE(arms.ok());
    EXPECT_THAT(std::string(arms.status().message()),
                HasSubstr("round 3, set 1, block 4, position 1"));
  }
}

TEST(Interference, ShareOutside) {
  EXPECT_DOUBLE_EQ(*outside_share(1000, 980), 0.02);
  EXPECT_FALSE(outside_share(0, 0));
}

}  // namespace
}  // namespace hotlap::plan
