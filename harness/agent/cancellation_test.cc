// Hooks run once, also when the wish came first, and never after they are gone.
#include "harness/agent/cancellation.h"

#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

TEST(Cancellation, RunsStandingHooksOnce) {
  Cancellation cancellation;
  int runs = 0;
  Cancellation::Hook hook(cancellation, [&] { ++runs; });
  EXPECT_FALSE(cancellation.raised());
  cancellation.raise();
  cancellation.raise();
  EXPECT_TRUE(cancellation.raised());
  EXPECT_EQ(runs, 1);
}

TEST(Cancellation, ALateHookRunsAtOnce) {
  Cancellation cancellation;
  cancellation.raise();
  int runs = 0;
  Cancellation::Hook hook(cancellation, [&] { ++runs; });
  EXPECT_EQ(runs, 1);
}

TEST(Cancellation, AHookThatIsGoneDoesNotRun) {
  Cancellation cancellation;
  int runs = 0;
  {
    Cancellation::Hook hook(cancellation, [&] { ++runs; });
  }
  cancellation.raise();
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace hotlap::agent
