#include "harness/capture/asleep.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "harness/targets/testing.h"

namespace hotlap::capture {
namespace {

using std::chrono::milliseconds;

bool always() { return true; }

TEST(AsleepTest, AServerThatWaitsRestsAndOneThatComputesDoesNot) {
  const auto spawner = targets::make_test_spawner();
  ASSERT_NE(spawner, nullptr);
  const auto target = spawner->launch(targets::test_pipeline("serve"), targets::test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  const auto processes = [&] { return (*target)->tree(); };
  EXPECT_TRUE(await_asleep(processes, std::chrono::seconds(10), always));
  // This thread asks, and so it runs.
  EXPECT_FALSE(all_asleep({getpid()}));
}

TEST(AsleepTest, PatienceEnds) {
  EXPECT_FALSE(await_asleep([] { return std::vector<pid_t>{getpid()}; }, milliseconds(5), always));
}

TEST(AsleepTest, AWaitCanBeEnded) {
  int looks = 0;
  EXPECT_FALSE(await_asleep([] { return std::vector<pid_t>{getpid()}; }, std::chrono::hours(1),
                            [&] { return ++looks < 3; }));
  EXPECT_EQ(looks, 3);
}

TEST(AsleepTest, ProcessesThatHaveEndedRest) { EXPECT_TRUE(all_asleep({})); }

}  // namespace
}  // namespace hotlap::capture
