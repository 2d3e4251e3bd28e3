// Rounds of the cost pass become one number that is right, or none.
#include "harness/cli/counting_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

hotlap::v1::Round round_of(uint32_t index, int64_t plain_ns, int64_t counted_ns) {
  hotlap::v1::Round round;
  round.set_index(index);
  for (const auto& [arm, cpu_ns] : {std::pair(0u, plain_ns), std::pair(1u, counted_ns)}) {
    auto* one = round.add_arms();
    one->set_arm(arm);
    one->mutable_counts()->set_ok(1000);
    if (cpu_ns > 0) one->set_cpu_ns(cpu_ns);
  }
  return round;
}

TEST(CountingCost, IsTheRatioOfCountedToPlain) {
  CountingCost cost;
  for (uint32_t i = 0; i < 8; ++i) cost.add(round_of(i, 5'000'000, 5'100'000 + 1000 * i));
  const auto message = cost.message();
  EXPECT_EQ(message.rounds(), 8u);
  EXPECT_NEAR(message.percent(), 2.07, 0.01);
  EXPECT_GT(message.low_percent(), 1.9);
  EXPECT_LT(message.high_percent(), 2.2);
  EXPECT_THAT(cost.csv(), HasSubstr("\n0,5000,5100,\n"));
}

TEST(CountingCost, VoidAndUncountedRoundsDoNotCount) {
  CountingCost cost;
  auto bad = round_of(0, 5'000'000, 50'000'000);
  bad.set_void_cause("steal, 9 %");
  cost.add(bad);
  cost.add(round_of(1, 0, 5'000'000));
  EXPECT_EQ(cost.message().rounds(), 0u);
  EXPECT_FALSE(cost.message().has_percent());
  EXPECT_THAT(cost.csv(), HasSubstr("\n1,,5000,\n"));
  cost.add(round_of(2, 1'000'000, 1'010'000));
  EXPECT_NEAR(cost.message().percent(), 1, 1e-9);
  EXPECT_FALSE(cost.message().has_low_percent()) << "one round has no interval";
}

TEST(CountingCost, TheSentenceNamesWhatWasOn) {
  hotlap::v1::Run run;
  EXPECT_EQ(counting_cost_text(run), "");
  run.mutable_counting_cost()->set_what("12 system calls");
  EXPECT_THAT(counting_cost_text(run), HasSubstr("not known"));
  run.mutable_counting_cost()->set_percent(2.44);
  EXPECT_THAT(counting_cost_text(run), HasSubstr("counting (12 system calls) costs 2.4 %"));
  EXPECT_THAT(counting_cost_text(run), Not(HasSubstr("interval")));
  run.mutable_counting_cost()->set_low_percent(-0.04);
  run.mutable_counting_cost()->set_high_percent(5);
  EXPECT_THAT(counting_cost_text(run), HasSubstr("(95 % interval -0.0 to 5.0)"));
}

}  // namespace
}  // namespace hotlap::cli
