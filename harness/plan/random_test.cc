#include "harness/plan/random.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

TEST(Random, SameNameGivesTheSameDraws) {
  Random one(7, "blocks", 3);
  Random two(7, "blocks", 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.next(), two.next());
}

// A change of the generator would silently change what old seeds mean.
TEST(Random, StreamsNeverChange) {
  Random random(1, "timing", 0);
  std::array<uint64_t, 3> words = {random.next(), random.next(), random.next()};
  EXPECT_EQ(words, (std::array<uint64_t, 3>{14311745487741690595U, 5700301505725151173U,
                                            11358089639397856541U}));
}

TEST(Random, SubstreamsDiffer) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const char* label : {"", "a", "b", "ab"}) {
      for (uint64_t index = 0; index < 20; ++index) {
        first.insert(Random(seed, label, index).next());
      }
    }
  }
  EXPECT_EQ(first.size(), 20U * 4 * 20);
}

TEST(Random, BelowIsUniformAndBounded) {
  Random random(11);
  std::array<int, 6> counts{};
  constexpr int kDraws = 60000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.below(6));
  // Binomial: standard deviation 91; five of them.
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 6, 456);
  EXPECT_EQ(random.below(0), 0U);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, CoinIsFairAndUniformStaysBelowOne) {
  Random random(5, "coin");
  int heads = 0;
  double sum = 0;
  for (int i = 0; i < 40000; ++i) {
    heads += random.coin() ? 1 : 0;
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(heads, 20000, 500);
  EXPECT_NEAR(sum / 40000, 0.5, 0.0073);
}

TEST(Random, EveryOrderIsEquallyLikely) {
  Random random(3, "orders");
  std::map<std::vector<uint32_t>, int> orders;
  for (int i = 0; i < 24000; ++i) ++orders[random.permutation(4)];
  ASSERT_EQ(orders.size(), 24U);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 155);
  EXPECT_TRUE(random.permutation(0).empty());
}

}  // namespace
}  // namespace hotlap::plan
