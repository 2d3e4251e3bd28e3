// A quiet round counts, another load voids it, and sampling's own error does not.
#include "harness/agent/disturbance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

targets::Placement apart() {
  targets::Placement placement;
  placement.server_cpus = {0};
  placement.load_cpus = {1};
  return placement;
}

MachineTimes machine(int64_t steal_ns, int64_t servers_busy_ns, int64_t load_busy_ns) {
  return {capture::CpuTimes{steal_ns, servers_busy_ns, 0}, capture::CpuTimes{0, load_busy_ns, 0}};
}

hotlap::v1::Round judged(const MachineTimes& after, const OwnTimes& own,
                         const targets::Placement& placement = apart()) {
  hotlap::v1::Round round;
  round.set_duration_ns(kSecondNs);
  judge_environment(placement, machine(0, 0, 0), after, own, round);
  return round;
}

TEST(JudgeEnvironment, AQuietRoundCounts) {
  const auto round = judged(machine(0, 910'000'000, 930'000'000), {900'000'000, 920'000'000});
  EXPECT_FALSE(round.has_void_cause()) << round.void_cause();
  EXPECT_EQ(round.other_load_ns(), 10'000'000);
}

TEST(JudgeEnvironment, StealVoids) {
  EXPECT_THAT(judged(machine(60'000'000, 900'000'000, 900'000'000), {900'000'000, 900'000'000})
                  .void_cause(),
              testing::HasSubstr("steal"));
}

TEST(JudgeEnvironment, AnotherLoadOnEitherSideVoids) {
  EXPECT_THAT(judged(machine(0, kSecondNs, 900'000'000), {500'000'000, 900'000'000}).void_cause(),
              testing::HasSubstr("other load"));
  EXPECT_THAT(judged(machine(0, 900'000'000, kSecondNs), {900'000'000, 500'000'000}).void_cause(),
              testing::HasSubstr("late generator"));
}

TEST(JudgeEnvironment, SharedCpusAreJudgedBySteal) {
  targets::Placement shared = apart();
  shared.shared = true;
  const auto round = judged(machine(0, kSecondNs, kSecondNs), {1, 1}, shared);
  EXPECT_FALSE(round.has_void_cause());
  EXPECT_FALSE(round.has_other_load_ns());
}

TEST(JudgeEnvironment, AnUncountedArmLeavesOtherLoadAbsent) {
  EXPECT_FALSE(
      judged(machine(0, kSecondNs, 900'000'000), {std::nullopt, 900'000'000}).has_other_load_ns());
}

TEST(BeyondSampling, ThreeStandardDeviationsAreNoEvidence) {
  // 100 ticks of 10 ms: sd at most 5 ticks.
  EXPECT_EQ(beyond_sampling_ns(150'000'000, kSecondNs, 1), 0);
  EXPECT_EQ(beyond_sampling_ns(250'000'000, kSecondNs, 1), 100'000'000);
}

}  // namespace
}  // namespace hotlap::agent
