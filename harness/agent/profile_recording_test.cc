// How often a stack is taken.
#include "harness/agent/profile_recording.h"

#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

TEST(ProfileRecording, AllStacksOfFewEventsAPrimeShareOfMany) {
  EXPECT_EQ(stack_interval(0, 4999, 7), 1u);
  EXPECT_EQ(stack_interval(4999, 4999, 7), 1u);
  EXPECT_EQ(stack_interval(400, 10, 7), 1u) << "few are no burden";
  EXPECT_EQ(stack_interval(6000, 4999, 7), 7u) << "more than a request has of them";
  EXPECT_EQ(stack_interval(6000, 4999, 101), 101u);
  EXPECT_EQ(stack_interval(50'000, 4999, 7), 11u);
  EXPECT_EQ(stack_interval(72'000, 4999, 7), 17u) << "no product of smaller numbers";
  EXPECT_LT(stack_interval(1e12, 1, 7), 200'000u);
}

}  // namespace
}  // namespace hotlap::agent
