// Waits and allocations added up: cut at the edges of turns, scaled where only some gave a stack.
#include "harness/profile/view_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/profile/testing.h"

namespace hotlap::profile {
namespace {

using ::testing::ElementsAre;

const std::vector<Turn> kTurns = {{.begin_ns = 100, .end_ns = 200, .requests = 10, .cpu_ns = 50},
                                  {.begin_ns = 300, .end_ns = 400, .requests = 30, .cpu_ns = 70}};

class ViewTallyTest : public ::testing::Test {
 protected:
  void wait(int64_t begin_ns, int64_t ready_ns, int64_t end_ns, WaitKind kind = WaitKind::kSleep,
            const ScriptSample* sample = nullptr) {
    tally_.add({.process = 7,
                .thread = 8,
                .kind = kind,
                .begin_ns = begin_ns,
                .ready_ns = ready_ns,
                .end_ns = end_ns,
                .sample = sample},
               attribution_);
  }
  const TurnAmounts& turn(size_t index) const { return tally_.by_turn()[index]; }
  hotlap::v1::ViewArm filled() const {
    hotlap::v1::ViewArm arm;
    tally_.fill(arm);
    return arm;
  }

  const ScriptSample futex_ =
      sample_at(0, {kernel_frame("schedule"), kernel_frame("__x64_sys_futex"),
                    user_frame("pthread_cond_wait", "/lib/libc.so.6"), user_frame("take", "/srv")});
  const ScriptSample poll_ = sample_at(
      0,
      {kernel_frame("schedule"), kernel_frame("__x64_sys_epoll_wait"), user_frame("main", "/srv")});
  ObjectFiles files_;
  Attribution attribution_{files_};
  ViewTally tally_{kTurns};
};

TEST_F(ViewTallyTest, ASleepIsCutAtTheEdgesAndCountedWhereItBegins) {
  wait(150, 320, 330, WaitKind::kSleep, &futex_);
  EXPECT_DOUBLE_EQ(turn(0).total.first, 50) << "to the end of the turn";
  EXPECT_DOUBLE_EQ(turn(0).total.second, 1);
  EXPECT_DOUBLE_EQ(turn(0).woken_ns, 0);
  EXPECT_DOUBLE_EQ(turn(1).total.first, 20) << "from the beginning of the turn";
  EXPECT_DOUBLE_EQ(turn(1).total.second, 0);
  EXPECT_DOUBLE_EQ(turn(1).woken_ns, 10);
  const SiteKey site{"kernel: futex", "take", "srv", "futex"};
  EXPECT_DOUBLE_EQ(turn(0).sites.at(site).first, 50);
  EXPECT_DOUBLE_EQ(turn(1).sites.at(site).first, 20);
  EXPECT_EQ(tally_.stacks_taken(), 1);
}

TEST_F(ViewTallyTest, WhatLiesBetweenTurnsIsLeftOut) {
  wait(0, 90, 100);
  wait(200, 290, 300);
  wait(400, 500, 600);
  for (const TurnAmounts& each : tally_.by_turn()) EXPECT_DOUBLE_EQ(each.total.first, 0);
  EXPECT_EQ(filled().threads(), 0u);
}

TEST_F(ViewTallyTest, ALongSleepIsInAllItsTurns) {
  wait(Wait::kEarlier, Wait::kLater, Wait::kLater);
  EXPECT_DOUBLE_EQ(turn(0).earlier.first, 100);
  EXPECT_DOUBLE_EQ(turn(1).earlier.first, 100);
  EXPECT_DOUBLE_EQ(turn(0).earlier.second, 0);
  EXPECT_DOUBLE_EQ(turn(0).total.first, 0) << "its stack is not known, and is no other's either";
  const auto arm = filled();
  ASSERT_EQ(arm.stacks_size(), 1);
  EXPECT_EQ(arm.stacks(0).stage(), "began earlier");
  EXPECT_DOUBLE_EQ(arm.stacks(0).first(), 200);
}

TEST_F(ViewTallyTest, PreemptedIsNotAsleep) {
  wait(110, 110, 140, WaitKind::kPreempted, &futex_);
  wait(150, 150, 155, WaitKind::kNew);
  EXPECT_DOUBLE_EQ(turn(0).preempted_ns, 30);
  EXPECT_EQ(turn(0).preemptions, 1);
  EXPECT_DOUBLE_EQ(turn(0).woken_ns, 5) << "a new thread that waits for a CPU";
  EXPECT_DOUBLE_EQ(turn(0).total.first, 0);
  EXPECT_DOUBLE_EQ(turn(0).total.second, 0);
  EXPECT_TRUE(turn(0).sites.empty());
}

TEST_F(ViewTallyTest, WaitingForWorkIsIdle) {
  wait(110, 120, 120, WaitKind::kSleep, &poll_);
  wait(130, 160, 160, WaitKind::kSleep, &futex_);
  EXPECT_DOUBLE_EQ(turn(0).idle.first, 10);
  EXPECT_DOUBLE_EQ(turn(0).total.first, 40);
}

TEST_F(ViewTallyTest, StacksStandForThoseThatWereNotTaken) {
  wait(110, 120, 120, WaitKind::kSleep, &poll_);
  wait(130, 160, 160, WaitKind::kSleep, &futex_);
  for (int i = 0; i < 6; ++i) wait(310 + 10 * i, 320 + 10 * i, 320 + 10 * i);
  const auto arm = filled();
  ASSERT_EQ(arm.stacks_size(), 2);
  EXPECT_DOUBLE_EQ(arm.stacks(0).first(), 75) << "30 of 40 ns taken, of 100 in all";
  EXPECT_DOUBLE_EQ(arm.stacks(0).second(), 4) << "1 of 2 taken, of 8 in all";
  EXPECT_DOUBLE_EQ(arm.stacks(0).first_squares(), 75 * 75);
  EXPECT_EQ(arm.stacks(0).stage(), "kernel: futex");
  EXPECT_EQ(arm.stacks_taken(), 2u);
  EXPECT_EQ(arm.requests(), 40u);
  EXPECT_EQ(arm.turns(), 2u);
  EXPECT_EQ(arm.load_ns(), 200);
  std::vector<std::string> names;
  for (const uint32_t frame : arm.stacks(0).frames()) {
    names.push_back(arm.frames(static_cast<int>(frame)).function());
  }
  EXPECT_THAT(names, ElementsAre("take", "pthread_cond_wait", "__x64_sys_futex", "schedule"));
}

TEST_F(ViewTallyTest, SeveralProcessesAreCounted) {
  for (const pid_t process : {3, 5}) {
    tally_.add({.process = process,
                .thread = process + 1,
                .begin_ns = 110,
                .ready_ns = 120,
                .end_ns = 120},
               attribution_);
  }
  const auto arm = filled();
  EXPECT_EQ(arm.processes(), 2u);
  EXPECT_EQ(arm.threads(), 2u);
}

TEST_F(ViewTallyTest, AllocationsAreBytesAndCalls) {
  for (const int64_t time_ns : {99, 100, 399, 400}) {
    tally_.add(sample_at(time_ns, {user_frame("malloc", "/lib/libc.so.6"),
                                   user_frame("grow", "/srv"), user_frame("main", "/srv")}),
               64, 7, attribution_);
  }
  EXPECT_DOUBLE_EQ(turn(0).total.first, 448);
  EXPECT_DOUBLE_EQ(turn(0).total.second, 7);
  const SiteKey site{"libraries", "grow", "srv", ""};
  EXPECT_DOUBLE_EQ(turn(1).sites.at(site).second, 1);
  EXPECT_DOUBLE_EQ(filled().stacks(0).first(), 896);
}

}  // namespace
}  // namespace hotlap::profile
