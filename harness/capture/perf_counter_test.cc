// Inherited counters over a target whose doings are known, and the refusals.
#include "harness/capture/perf_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "harness/targets/process_tree.h"
#include "harness/targets/testing.h"

namespace hotlap::capture {
namespace {

class PerfCounterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spawner_ = targets::make_test_spawner();
    ASSERT_NE(spawner_, nullptr);
  }

  void launch(const std::vector<std::string>& events) {
    targets::LaunchOptions options = targets::test_options();
    options.before_exec = [&](pid_t pid) {
      auto opened = PerfCounters::open(pid, events);
      if (!opened.ok()) return opened.status();
      counters_.emplace(*std::move(opened));
      return absl::OkStatus();
    };
    auto target = spawner_->launch(targets::test_pipeline("serve"), options);
    ASSERT_TRUE(target.ok()) << target.status();
    target_ = *std::move(target);
  }

  std::vector<int64_t> read() {
    const auto values = counters_->read();
    EXPECT_TRUE(values.ok()) << values.status();
    std::vector<int64_t> numbers;
    if (!values.ok()) return numbers;
    for (const auto& value : *values) numbers.push_back(value.value_or(-1));
    return numbers;
  }

  // Until the target sleeps, in accept(), the only call that it sleeps in then.
  void await_idle() {
    const absl::Time deadline = absl::Now() + absl::Seconds(10);
    while (absl::Now() < deadline) {
      const auto stat = targets::read_process_stat(target_->pid());
      if (stat && stat->state == 'S') return;
      sched_yield();
    }
    ADD_FAILURE() << "the target does not come to rest";
  }

  std::vector<int64_t> difference(const std::string& order) {
    await_idle();
    const std::vector<int64_t> before = read();
    EXPECT_EQ(targets::ask(target_->endpoint(), order), "done");
    await_idle();
    std::vector<int64_t> after = read();
    for (size_t i = 0; i < after.size(); ++i) after[i] -= before[i];
    return after;
  }

  std::optional<PerfCounters> counters_;
  std::unique_ptr<targets::Spawner> spawner_;
  std::unique_ptr<targets::TargetProcess> target_;
};

TEST_F(PerfCounterTest, SystemCallsOfTheTargetAreExact) {
  launch({"syscalls"});
  if (!counters_->available("syscalls")) GTEST_SKIP() << counters_->unavailable().at("syscalls");
  // What an order costs by itself, the same each time: accept, reads, write, close.
  const int64_t bare = difference("calls 0")[0];
  EXPECT_EQ(difference("calls 0")[0], bare);
  EXPECT_EQ(difference("calls 5000")[0], bare + 5000 + 3);  // three more digits to read
}

TEST_F(PerfCounterTest, AGroupOfSoftwareEventsCountsThreadsAndChildren) {
  launch({"task-clock", "minor-faults", "page-faults", "context-switches"});
  for (const auto& [event, reason] : counters_->unavailable())
    GTEST_SKIP() << event << ": " << reason;
  const std::vector<int64_t> touched = difference("touch 3000");
  EXPECT_GE(touched[1], 3000);
  EXPECT_LE(touched[1], 4000);  // a sanitizer has pages of its own to touch
  EXPECT_GE(touched[2], touched[1]);
  EXPECT_GE(difference("burn 20 2")[0], 40'000'000);
  EXPECT_GE(difference("fork 20 2")[0], 40'000'000);
}

TEST_F(PerfCounterTest, ReadsNeverFailOrRunBackwardsWhileChildrenComeAndGo) {
  launch({"task-clock", "minor-faults", "context-switches"});
  for (const auto& [event, reason] : counters_->unavailable()) {
    GTEST_SKIP() << event << ": " << reason;
  }
  std::thread forking([this] { targets::ask(target_->endpoint(), "fork 0 300"); });
  std::vector<int64_t> last = read();
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    const std::vector<int64_t> now = read();
    for (size_t event = 0; event < now.size(); ++event) EXPECT_GE(now[event], last[event]);
    last = now;
  }
  forking.join();
}

TEST_F(PerfCounterTest, WhatCannotBeOpenedIsUnavailableAndTheRestCounts) {
  launch({"no-such-event", "task-clock", "no_such:tracepoint"});
  EXPECT_FALSE(counters_->available("no-such-event"));
  EXPECT_THAT(counters_->unavailable().at("no-such-event"), ::testing::HasSubstr("no-such-event"));
  EXPECT_FALSE(counters_->available("no_such:tracepoint"));
  const auto values = counters_->read();
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_FALSE((*values)[0].has_value());
  EXPECT_FALSE((*values)[2].has_value());
  if (counters_->available("task-clock")) {
    EXPECT_GT((*values)[1].value(), 0);
  }
}

TEST_F(PerfCounterTest, HardwareCountsOrSaysWhyNot) {
  launch({"instructions"});
  const auto values = counters_->read();
  ASSERT_TRUE(values.ok()) << values.status();
  if (counters_->available("instructions")) {
    EXPECT_GT(values->front().value(), 0);
  } else {
    EXPECT_FALSE(values->front().has_value());
    EXPECT_THAT(counters_->unavailable().at("instructions"), ::testing::HasSubstr("instructions"));
  }
}

TEST(PerfCounterOpenTest, NoEventsAndNoProcessAreErrors) {
  EXPECT_EQ(PerfCounters::open(getpid(), {}).status().code(), absl::StatusCode::kInvalidArgument);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(PerfCounters::open(child, {"task-clock"}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hotlap::capture
