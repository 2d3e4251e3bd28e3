#include "harness/capture/asleep.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
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

// A thread may end between its being listed and its being looked at.
TEST(AsleepTest, ThreadsMayComeAndGoMeanwhile) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) std::thread([] {}).join();
  }
  int rested = 0;
  for (int look = 0; look < 20'000; ++look) rested += all_asleep({child}) ? 1 : 0;
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_LT(rested, 20'000);
}

TEST(AsleepTest, ProcessesThatHaveEndedRest) { EXPECT_TRUE(all_asleep({})); }

}  // namespace
}  // namespace hotlap::capture
