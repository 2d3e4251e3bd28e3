// Process CPU clocks: threads and ended threads are in, children apart, and they agree with the
// inherited task-clock within 0.5 %.
#include "harness/capture/cpu_clock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "harness/capture/perf_counter.h"
#include "harness/targets/testing.h"

namespace hotlap::capture {
namespace {

class CpuClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spawner_ = targets::make_test_spawner();
    ASSERT_NE(spawner_, nullptr);
    targets::LaunchOptions options = targets::test_options();
    options.before_exec = [this](pid_t pid) {
      auto opened = PerfCounters::open(pid, {"task-clock"});
      if (!opened.ok()) return opened.status();
      counters_.emplace(*std::move(opened));
      return absl::OkStatus();
    };
    auto target = spawner_->launch(targets::test_pipeline("serve"), options);
    ASSERT_TRUE(target.ok()) << target.status();
    target_ = *std::move(target);
  }

  std::string ask(const std::string& order) { return targets::ask(target_->endpoint(), order); }

  int64_t task_clock_ns() {
    const auto values = counters_->read();
    EXPECT_TRUE(values.ok()) << values.status();
    return values.ok() ? values->front().value_or(0) : 0;
  }

  std::optional<PerfCounters> counters_;
  std::unique_ptr<targets::Spawner> spawner_;
  std::unique_ptr<targets::TargetProcess> target_;
};

TEST_F(CpuClockTest, CountsAllThreadsAlsoThoseThatHaveEnded) {
  const auto clock = ProcessClock::open(target_->pid());
  ASSERT_TRUE(clock.ok()) << clock.status();
  const int64_t before_ns = clock->read_ns().value();
  ASSERT_EQ(ask("burn 20 3"), "done");
  const int64_t used_ns = clock->read_ns().value() - before_ns;
  EXPECT_GE(used_ns, 60'000'000);
  EXPECT_LE(used_ns, 70'000'000);
}

TEST_F(CpuClockTest, AgreesWithTheInheritedTaskClock) {
  if (!counters_->available("task-clock")) GTEST_SKIP() << counters_->unavailable().begin()->second;
  // Guests with PARAVIRT_TIME_ACCOUNTING leave what the hypervisor stole out of CPU clocks, not out
  // of task-clock: a stolen moment may spoil an attempt, a wrong count would spoil them all.
  for (const char* order : {"burn 220 1", "burn 80 3"}) {
    double best = 1.0;
    for (int attempt = 0; attempt < 6 && best > 0.005; ++attempt) {
      const auto clock = ProcessClock::open(target_->pid());
      ASSERT_TRUE(clock.ok()) << clock.status();
      const int64_t clock_before_ns = clock->read_ns().value();
      const int64_t task_before_ns = task_clock_ns();
      ASSERT_EQ(ask(order), "done");
      const double by_clock = static_cast<double>(clock->read_ns().value() - clock_before_ns);
      const double by_task = static_cast<double>(task_clock_ns() - task_before_ns);
      EXPECT_GE(by_clock, 200e6) << order;
      best = std::min(best, std::abs(by_clock / by_task - 1.0));
    }
    EXPECT_LE(best, 0.005) << order;
  }
}

TEST_F(CpuClockTest, ChildrenThatComeAndGoNeedTheTaskClock) {
  if (!counters_->available("task-clock")) GTEST_SKIP() << counters_->unavailable().begin()->second;
  const auto clock = ProcessClock::open(target_->pid());
  ASSERT_TRUE(clock.ok()) << clock.status();
  const int64_t clock_before_ns = clock->read_ns().value();
  const int64_t task_before_ns = task_clock_ns();
  ASSERT_EQ(ask("fork 30 2"), "done");
  EXPECT_GE(task_clock_ns() - task_before_ns, 60'000'000);
  EXPECT_LE(clock->read_ns().value() - clock_before_ns, 20'000'000);
}

// 0 means the caller to clock_getcpuclockid: a target without a process must not get our own time.
TEST(ProcessClock, RefusesWhatIsNoProcess) {
  for (const pid_t pid : {0, -1}) {
    EXPECT_EQ(ProcessClock::open(pid).status().code(), absl::StatusCode::kInvalidArgument) << pid;
  }
}

TEST(TreeClockTest, SumsAndSaysWhenOneHasGone) {
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    close(hold[1]);
    (void)!read(hold[0], &byte, 1);
    _exit(0);
  }
  close(hold[0]);
  const auto tree = TreeClock::open({getpid(), child});
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->read().vanished, 0);
  EXPECT_GT(tree->read().cpu_ns, ProcessClock::open(child)->read_ns().value());
  close(hold[1]);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(tree->read().vanished, 1);
  EXPECT_FALSE(TreeClock::open({child}).ok());
  EXPECT_FALSE(TreeClock::open({}).ok());
}

}  // namespace
}  // namespace hotlap::capture
