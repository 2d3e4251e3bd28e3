#include "harness/plan/typical.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Ten blocks a round, two of them wild: they are trimmed. Rounds come out in order.
TEST(Typical, TrimsWildBlocksByRound) {
  std::vector<SliceValue> slices;
  for (const uint32_t round : {4U, 2U}) {
    for (uint32_t block = 0; block < 10; ++block) {
      const double wild = block < 2 ? 50 : 1;
      slices.push_back({round, 0, block, 1, 1, round * wild});
      slices.push_back({round, 0, block, 0, 0, 1});
    }
  }
  slices.push_back({2, 1, 0, 0, 0, 1});  // without its pair
  slices.push_back({9, 0, 0, 0, 2, 1});  // another arm
  const auto typical = typical_by_round(slices, 1);
  ASSERT_TRUE(typical.ok());
  EXPECT_THAT(*typical, ElementsAre(testing::DoubleNear(std::log(2), 1e-15),
                                    testing::DoubleNear(std::log(4), 1e-15)));
}

TEST(Typical, BadValuesAreNamed) {
  const std::vector<SliceValue> slices = {{3, 1, 7, 0, 1, 0}};
  EXPECT_THAT(std::string(typical_by_round(slices, 1).status().message()),
              HasSubstr("round 3, set 1, block 7"));
  EXPECT_TRUE(typical_by_round({}, 1)->empty());
}

}  // namespace
}  // namespace hotlap::plan
