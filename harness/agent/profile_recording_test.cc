// How often a stack is taken.
#include "harness/agent/profile_recording.h"

#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

TEST(ProfileRecording, AllStacksOfFewEventsAPrimeShareOfMany) {
  EXPECT_EQ(stack_interval(0, 4999), 1u);
  EXPECT_EQ(stack_interval(4999, 4999), 1u);
  EXPECT_EQ(stack_interval(400, 10), 1u) << "few are no burden";
  EXPECT_EQ(stack_interval(6000, 4999), 7u) << "more than a request has of them";
  EXPECT_EQ(stack_interval(50'000, 4999), 11u);
  EXPECT_EQ(stack_interval(72'000, 4999), 17u) << "no product of smaller numbers";
  EXPECT_LT(stack_interval(1e12, 1), 200'000u);
}

}  // namespace
}  // namespace hotlap::agent
