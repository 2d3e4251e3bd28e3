#include "harness/plan/looks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

using ::testing::HasSubstr;

std::vector<std::pair<uint32_t, double>> pairs_of(const Looks& looks) {
  std::vector<std::pair<uint32_t, double>> pairs;
  for (const Look& look : looks.looks) pairs.emplace_back(look.rounds, look.alpha);
  return pairs;
}

TEST(Looks, PlansAreThoseOfTheMethod) {
  using Expected = std::vector<std::pair<uint32_t, double>>;
  EXPECT_EQ(pairs_of(*parse_looks("quick")), (Expected{{12, 0.0221}, {24, 0.0221}, {40, 0.0221}}));
  EXPECT_EQ(pairs_of(*parse_looks("ci")),
            (Expected{{12, 0.001}, {24, 0.001}, {36, 0.001}, {48, 0.001}, {60, 0.049}}));
  EXPECT_EQ(pairs_of(*parse_looks("fixed:24")), (Expected{{24, 0.05}}));
  EXPECT_EQ(parse_looks("fixed:24")->name, "fixed:24");
}

TEST(Looks, ErrorsListWhatExists) {
  for (const char* text : {"", "Quick", "fast", "fixed", "fixed:", "fixed:x", "fixed:12x",
                           "fixed:-3", "fixed: 3", "fixed:99999999999"}) {
    const auto looks = parse_looks(text);
    ASSERT_FALSE(looks.ok()) << text;
    for (const char* name : {"quick", "ci", "fixed:N"}) {
      EXPECT_THAT(std::string(looks.status().message()), HasSubstr(name)) << text;
    }
  }
  for (const char* text : {"fixed:0", "fixed:1001"}) {
    const auto looks = parse_looks(text);
    ASSERT_FALSE(looks.ok()) << text;
    EXPECT_THAT(std::string(looks.status().message()), HasSubstr(text));
    EXPECT_THAT(std::string(looks.status().message()), HasSubstr("1000"));
  }
}

TEST(Looks, AtAndNext) {
  const Looks looks = quick_looks();
  EXPECT_EQ(looks.at(11), nullptr);
  ASSERT_NE(looks.at(24), nullptr);
  EXPECT_EQ(looks.at(24)->rounds, 24U);
  EXPECT_EQ(looks.next(0).rounds, 12U);
  EXPECT_EQ(looks.next(12).rounds, 12U);
  EXPECT_EQ(looks.next(13).rounds, 24U);
  EXPECT_EQ(looks.next(99).rounds, 40U);
  EXPECT_EQ(looks.max_rounds(), 40U);
}

}  // namespace
}  // namespace hotlap::plan
