// Which clock it is that loads are timed by. wrk#327: the wall clock was set back during a run, and
// the report said "307445734491.24m".
#include "harness/load/clock.h"

#include <gtest/gtest.h>

namespace hotlap::load {
namespace {

// CLOCK_REALTIME is decades away from it, and CLOCK_BOOTTIME by all sleep since the boot.
TEST(Clock, IsMonotonic) {
  const Clock clock;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t before_ns = clock_ns(CLOCK_MONOTONIC);
    const std::int64_t now_ns = clock.now_ns();
    EXPECT_LE(before_ns, now_ns);
    EXPECT_LE(now_ns, clock_ns(CLOCK_MONOTONIC));
  }
}

TEST(Clock, IsTheSimulatedOneWhereThereIsOne) {
  struct Fixed : SimulatedTime {
    std::int64_t now_ns() const override { return 42; }
    int wait(int, std::span<epoll_event>, std::int64_t) override { return 0; }
  } fixed;
  EXPECT_EQ(Clock(&fixed).now_ns(), 42);
}

}  // namespace
}  // namespace hotlap::load
