#include "harness/plan/reason.h"

#include <cmath>

#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

Verdict changed() {
  Verdict verdict;
  verdict.metric = "cpu_per_request";
  verdict.unit = "ns";
  verdict.word = Word::kImproved;
  verdict.margin = 0.005;
  verdict.estimate = std::log(0.977);
  verdict.interval = Interval{std::log(0.97), std::log(0.985)};
  verdict.rounds = 12;
  return verdict;
}

TEST(Reason, SaysWhichWayAndHowFar) {
  Verdict verdict = changed();
  verdict.flags = {"certain"};
  EXPECT_EQ(reason(verdict, {}),
            "cpu_per_request of B is 2.30 % lower than A's [-3.00 %, -1.50 %], all of it beyond "
            "the margin of 0.50 %");
}

TEST(Reason, AbsoluteValuesCarryTheirUnit) {
  Verdict verdict = changed();
  verdict.scale = Scale::kAbsolute;
  verdict.unit = "bytes";
  EXPECT_EQ(printed(verdict, 5), "+5 bytes");
  EXPECT_EQ(printed(verdict, -5, false), "5 bytes");
  verdict.unit = "1";
  EXPECT_EQ(printed(verdict, 5), "+5");
}

TEST(Reason, AnEstimateNearTheMarginIsNotAMatterOfRounds) {
  Verdict verdict = changed();
  verdict.word = Word::kInconclusive;
  verdict.interval = Interval{-0.001, 0.006};
  verdict.rounds = 40;
  verdict.rounds_to_decide = 30;
  EXPECT_NE(reason(verdict, {}).find("too near to the margin"), std::string::npos);
  verdict.rounds_to_decide = 90;
  EXPECT_NE(reason(verdict, {}).find("about 90 rounds would decide"), std::string::npos);
}

}  // namespace
}  // namespace hotlap::plan
