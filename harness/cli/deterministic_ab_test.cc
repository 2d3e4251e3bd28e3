#include "harness/cli/deterministic_ab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/summary.h"

namespace hotlap::cli {
namespace {

using ::testing::HasSubstr;

hotlap::v1::Run two_arms() {
  hotlap::v1::Run run;
  for (const char* name : {"a", "b"}) {
    auto* arm = run.mutable_effective()->add_arms();
    arm->set_name(name);
    arm->mutable_target()->set_pipeline("fast");
  }
  run.mutable_effective()->set_margin_percent(0.5);
  return run;
}

std::vector<InstructionPair> pairs(const std::vector<std::pair<int64_t, int64_t>>& per_request) {
  std::vector<InstructionPair> found;
  uint32_t repetition = 0;
  for (const auto& [a, b] : per_request) {
    found.push_back({0, repetition, 50, 550, 1'000'000, 1'000'000 + 500 * a});
    found.push_back({1, repetition, 50, 550, 2'000'000, 2'000'000 + 500 * b});
    ++repetition;
  }
  return found;
}

TEST(DeterministicAbTest, StartUpDropsOut) {
  const InstructionPair pair{0, 0, 50, 550, 7'000'000, 7'000'000 + 500 * 8123};
  EXPECT_EQ(pair.per_request(), 8123);
}

TEST(DeterministicAbTest, UnvaryingCountsAreExactAndGateOnlyForTheWorse) {
  for (const auto& [b, gates] : {std::pair{8300, true}, {7900, false}}) {
    auto run = two_arms();
    const auto counted = pairs({{8123, b}, {8123, b}, {8123, b}});
    EXPECT_TRUE(unvarying(counted, 2));
    ASSERT_TRUE(judge_instructions(counted, run).ok());
    ASSERT_EQ(run.verdicts_size(), 1);
    EXPECT_EQ(run.verdicts(0).verdict(), "exact");
    EXPECT_EQ(run.verdicts(0).a(), 8123);
    EXPECT_EQ(run.verdicts(0).b(), b);
    EXPECT_EQ(run.verdicts(0).interval_low_percent(), run.verdicts(0).interval_high_percent());
    EXPECT_THAT(instructions_text(run), ::testing::Not(HasSubstr("interval")));
    EXPECT_EQ(gate_exit_code(run, Gate::kUncalibratedOk), gates ? 1 : 0);
  }
}

TEST(DeterministicAbTest, ADifferenceBelowTheMarginDoesNotGate) {
  auto run = two_arms();
  ASSERT_TRUE(judge_instructions(pairs({{10000, 10001}, {10000, 10001}}), run).ok());
  EXPECT_EQ(run.verdicts(0).verdict(), "exact");
  EXPECT_EQ(gate_exit_code(run, Gate::kUncalibratedOk), 0);
  EXPECT_THAT(instructions_text(run), HasSubstr("a 10000.00, b 10001.00: +1.00 (+0.0100 %)"));
}

TEST(DeterministicAbTest, VaryingCountsHaveAnInterval) {
  auto run = two_arms();
  const auto counted = pairs({{10000, 10201},
                              {10001, 10203},
                              {10003, 10202},
                              {10000, 10204},
                              {10002, 10200},
                              {10001, 10206},
                              {10004, 10205},
                              {10000, 10203}});
  EXPECT_FALSE(unvarying(counted, 2));
  ASSERT_TRUE(judge_instructions(counted, run).ok());
  EXPECT_EQ(run.verdicts(0).verdict(), "regressed");
  EXPECT_TRUE(run.verdicts(0).has_interval_low_percent());
  EXPECT_THAT(instructions_text(run), HasSubstr(", interval +"));
}

}  // namespace
}  // namespace hotlap::cli
