// Whole blocks, at least one, and a counting pass at one connection.
#include "harness/agent/round_lengths.h"

#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

hotlap::v1::Experiment experiment(int arms, double slice_ms) {
  hotlap::v1::Experiment message;
  for (int i = 0; i < arms; ++i) message.add_arms();
  message.mutable_plan()->set_slice_ms(slice_ms);
  message.mutable_plan()->set_sets(4);
  message.mutable_plan()->set_set_ms(200);
  message.mutable_plan()->set_warmup_ms(100);
  message.mutable_workload()->set_connections(16);
  message.mutable_workload()->set_threads(2);
  return message;
}

TEST(RoundLengths, TheDefaultSetHoldsTwentyPairs) {
  const RoundLengths lengths = round_lengths(experiment(2, 5), kTimingPass);
  EXPECT_EQ(lengths.slice_ns, 5'000'000);
  EXPECT_EQ(lengths.sets, 4u);
  EXPECT_EQ(lengths.blocks_per_set, 20u);
  EXPECT_EQ(lengths.warmup_blocks, 10u);
}

TEST(RoundLengths, ASetHasAtLeastOneBlock) {
  EXPECT_EQ(round_lengths(experiment(3, 1000), kTimingPass).blocks_per_set, 1u);
  EXPECT_EQ(round_lengths(experiment(3, 1000), kTimingPass).warmup_blocks, 0u);
}

TEST(PassWorkload, CountsAtOneConnection) {
  EXPECT_EQ(pass_workload(experiment(2, 5), kTimingPass).connections(), 16u);
  EXPECT_EQ(pass_workload(experiment(2, 5), kCountingPass).connections(), 1u);
  EXPECT_EQ(pass_workload(experiment(2, 5), kCountingPass).threads(), 1u);
  EXPECT_EQ(round_lengths(experiment(2, 5), kCountingPass).sets, 1u);
  EXPECT_EQ(pass_workload(experiment(2, 5), kEventsPass).connections(),
            pass_workload(experiment(2, 5), kTimingPass).connections());
  EXPECT_EQ(round_lengths(experiment(2, 5), kEventsPass).sets, 2u);
}

TEST(RoundWorkload, RandomIdsAreDrawnAnewInEachRound) {
  hotlap::v1::Experiment experiment;
  experiment.mutable_workload()->mutable_ids()->set_seed(1);
  const auto seed = [&](const char* pass, uint32_t index) {
    return round_workload(experiment, pass, index).ids().seed();
  };
  EXPECT_EQ(seed(kTimingPass, 3), seed(kTimingPass, 3));
  EXPECT_NE(seed(kTimingPass, 3), seed(kTimingPass, 4));
  experiment.mutable_workload()->clear_ids();
  EXPECT_FALSE(round_workload(experiment, kTimingPass, 3).has_ids());
}

}  // namespace
}  // namespace hotlap::agent
