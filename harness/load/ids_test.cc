// Ids: how they are asked for, and which request gets which.
#include "harness/load/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace hotlap::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Ids ids(std::string_view text) {
  std::string error;
  const auto parsed = parse_ids(text, error);
  EXPECT_TRUE(parsed) << error;
  return parsed.value_or(Ids{});
}

std::vector<std::uint64_t> first_of(const Ids& ids, std::uint64_t count) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t number = 0; number < count; ++number) all.push_back(ids.at(number));
  return all;
}

TEST(Ids, ASequenceBeginsAnewAtItsEnd) {
  EXPECT_THAT(first_of(ids("seq:8..10"), 5), ElementsAre(8, 9, 10, 8, 9));
  EXPECT_THAT(first_of(ids("seq:0..0"), 2), ElementsAre(0, 0));
  EXPECT_EQ(ids("seq:1..").at(999'999), 1'000'000U);
}

TEST(Ids, RandomOnesFollowFromTheSeed) {
  Ids one = ids("random:1..1000000");
  one.seed = 7;
  Ids same = one;
  EXPECT_EQ(first_of(one, 100), first_of(same, 100));
  same.seed = 8;
  EXPECT_NE(first_of(one, 100), first_of(same, 100));
}

TEST(Ids, RandomOnesCoverTheirRangeEvenly) {
  const Ids range = ids("random:10..19");
  std::vector<int> seen(10);
  constexpr int kDraws = 100'000;
  for (std::uint64_t number = 0; number < kDraws; ++number) ++seen[range.at(number) - 10];
  // Six standard deviations of a binomial count are 570.
  for (const int count : seen) EXPECT_NEAR(count, kDraws / 10, 570);
}

TEST(Ids, TheWholeRangeIsOne) {
  Ids whole;
  whole.kind = Ids::Kind::kRandom;
  whole.first = 0;
  std::set<std::uint64_t> seen;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    EXPECT_LE(whole.at(number), Ids::kMost);
    seen.insert(whole.at(number));
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Ids, WidthIsAskedForByZeros) {
  EXPECT_EQ(ids("random:1..1000").width, 0);
  EXPECT_EQ(ids("seq:0..9").width, 0);
  EXPECT_EQ(ids("random:0001..1000").width, 4);
  EXPECT_EQ(ids("seq:0001..1000").least_digits(), 4);
  EXPECT_EQ(ids("seq:1..1000").least_digits(), 1);
  EXPECT_EQ(ids("seq:1..1000").most_digits(), 4);
  EXPECT_EQ(IdText(7, 4).text(), "0007");
  EXPECT_EQ(IdText(12345, 4).text(), "12345");
  EXPECT_EQ(IdText(0, 0).text(), "0");
  EXPECT_EQ(IdText(Ids::kMost, 0).text(), "9223372036854775807");
}

TEST(Ids, RefusesWithAReason) {
  for (const char* text :
       {"", "random", "random:", "random:1", "random:1..", "random:a..b", "random:1..2x", "seq:..5",
        "seq:-1..5", "seq: 1..5", "zipf:1..5", "seq:1...5", "seq:99999999999999999999..", "1..5"}) {
    std::string error;
    EXPECT_FALSE(parse_ids(text, error)) << text;
    EXPECT_THAT(error, HasSubstr("must read as random:1..1000000")) << text;
  }
  std::string error;
  EXPECT_FALSE(parse_ids("seq:5..4", error));
  EXPECT_THAT(error, HasSubstr("the first id, 5, is beyond the last, 4"));
  EXPECT_FALSE(parse_ids("seq:01..100", error));
  EXPECT_THAT(error, HasSubstr("padded to 2 digits cannot reach 100"));
  EXPECT_FALSE(parse_ids("seq:1..18446744073709551615", error));
  EXPECT_THAT(error, HasSubstr("at most 9223372036854775807"));
}

}  // namespace
}  // namespace hotlap::load
