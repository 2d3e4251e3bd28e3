#include "harness/plan/schedule.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

bool is_permutation(std::vector<uint32_t> order, uint32_t count) {
  std::sort(order.begin(), order.end());
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return order.size() == count;
}

TEST(Schedule, EveryBlockHoldsEachArmOnce) {
  for (const uint32_t arms : {1U, 2U, 3U, 5U}) {
    const RoundDraw draw = draw_round(42, "timing", 7, arms, 4, 20);
    ASSERT_EQ(draw.sets.size(), 4U);
    for (const SetDraw& set : draw.sets) {
      EXPECT_TRUE(is_permutation(set.connect_order, arms));
      ASSERT_EQ(set.blocks.size(), 20U);
      for (const Block& block : set.blocks) EXPECT_TRUE(is_permutation(block, arms));
    }
    EXPECT_TRUE(is_permutation(draw.launch_order, arms));
    EXPECT_TRUE(is_permutation(draw.array_order, arms));
    ASSERT_EQ(draw.roles.size(), arms);
    std::vector<uint32_t> slots;
    for (const ArmRoles& roles : draw.roles) {
      slots.push_back(roles.path_slot);
      EXPECT_LE(roles.padding_bytes, kMaxPaddingBytes);
    }
    EXPECT_TRUE(is_permutation(slots, arms));
  }
}

TEST(Schedule, RolesNameTheSameOrders) {
  const RoundDraw draw = draw_round(1, "timing", 0, 3, 1, 1);
  for (uint32_t arm = 0; arm < 3; ++arm) {
    EXPECT_EQ(draw.launch_order[draw.roles[arm].launch_position], arm);
    EXPECT_EQ(draw.array_order[draw.roles[arm].array_position], arm);
  }
}

TEST(Schedule, IsAFunctionOfSeedPassAndRound) {
  const auto blocks = [](uint64_t seed, const char* pass, uint32_t round) {
    return draw_round(seed, pass, round, 2, 1, 64).sets[0].blocks;
  };
  EXPECT_EQ(blocks(1, "timing", 0), blocks(1, "timing", 0));
  EXPECT_NE(blocks(1, "timing", 0), blocks(2, "timing", 0));
  EXPECT_NE(blocks(1, "timing", 0), blocks(1, "timing", 1));
  EXPECT_NE(blocks(1, "timing", 0), blocks(1, "counting", 0));
  EXPECT_NE(draw_round(1, "timing", 0, 2, 2, 64).sets[0].blocks,
            draw_round(1, "timing", 0, 2, 2, 64).sets[1].blocks);
}

TEST(Schedule, MoreSetsOrBlocksMoveNoOtherDraw) {
  const RoundDraw few = draw_round(9, "timing", 5, 2, 2, 10);
  const RoundDraw many = draw_round(9, "timing", 5, 2, 4, 30);
  EXPECT_EQ(few.launch_order, many.launch_order);
  EXPECT_EQ(few.roles[1].padding_bytes, many.roles[1].padding_bytes);
  EXPECT_TRUE(std::equal(few.sets[1].blocks.begin(), few.sets[1].blocks.end(),
                         many.sets[1].blocks.begin()));
}

// Every role is held by either arm about half the time, and no two roles go together.
TEST(Schedule, RolesAreFairAndIndependent) {
  constexpr int kRounds = 4000;
  int first[4] = {};
  int together[4][4] = {};
  double padding = 0;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const RoundDraw draw = draw_round(77, "timing", round, 2, 1, 1);
    const bool roles[4] = {draw.roles[0].launch_position == 0, draw.roles[0].array_position == 0,
                           draw.roles[0].path_slot == 0, draw.sets[0].connect_order[0] == 0};
    for (int i = 0; i < 4; ++i) {
      first[i] += roles[i] ? 1 : 0;
      for (int j = 0; j < i; ++j) together[i][j] += roles[i] == roles[j] ? 1 : 0;
    }
    padding += draw.roles[0].padding_bytes;
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(first[i], kRounds / 2, 158);  // five standard deviations
    for (int j = 0; j < i; ++j) EXPECT_NEAR(together[i][j], kRounds / 2, 158);
  }
  EXPECT_NEAR(padding / kRounds, 2047.5, 94);
}

}  // namespace
}  // namespace hotlap::plan
