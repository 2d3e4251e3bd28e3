// Waits as perf's text tells them: asleep, preempted, begun before, cut off, torn by lost records.
#include "harness/profile/off_cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hotlap::profile {
namespace {

using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::SizeIs;

// Thread 8 sleeps with a stack, is preempted, and sleeps on to the end; 9 slept before.
constexpr char kSwitches[] = R"(    0/0         0.000000000: PERF_RECORD_COMM: srv:7/8
    0/0         0.000000000: PERF_RECORD_COMM: a: b/c:7/9
    0/0         0.000000000: PERF_RECORD_COMM: srv:7/10
7/8     1.000000100: 
	ffffffff81000000 schedule+0x23 ([kernel.kallsyms])
	           818ff serve+0x4f (/srv)

7/8     1.000000110: PERF_RECORD_SWITCH OUT        
7/8     1.000000510: PERF_RECORD_SWITCH IN         
7/8     1.000000600: PERF_RECORD_SWITCH OUT preempt
7/8     1.000000650: PERF_RECORD_SWITCH IN         
7/9     1.000000700: PERF_RECORD_SWITCH IN         
7/8     1.000000800: PERF_RECORD_SWITCH OUT        
)";

TEST(OffCpu, EachWaitHasItsKindAndItsStack) {
  const Script script = read_script(kSwitches);
  EXPECT_EQ(script.unread_lines, 0);
  const Waits found = read_waits(script, {});
  EXPECT_EQ(found.torn, 0);
  EXPECT_EQ(found.still_threads, 1) << "thread 10";
  ASSERT_THAT(found.waits, SizeIs(4));
  const Wait& slept = found.waits[0];
  EXPECT_EQ(slept.kind, WaitKind::kSleep);
  EXPECT_EQ(slept.process, 7);
  EXPECT_EQ(slept.thread, 8);
  EXPECT_EQ(slept.begin_ns, 1'000'000'110);
  EXPECT_EQ(slept.ready_ns, 1'000'000'510) << "no wake-up is known";
  EXPECT_EQ(slept.end_ns, 1'000'000'510);
  ASSERT_THAT(slept.sample, NotNull());
  EXPECT_THAT(slept.sample->frames, SizeIs(2));
  EXPECT_EQ(found.waits[1].kind, WaitKind::kPreempted);
  EXPECT_EQ(found.waits[1].ready_ns, 1'000'000'600) << "it could have gone on at once";
  EXPECT_EQ(found.waits[1].end_ns, 1'000'000'650);
  EXPECT_THAT(found.waits[1].sample, IsNull()) << "a stack is of one wait alone";
  EXPECT_EQ(found.waits[2].begin_ns, Wait::kEarlier);
  EXPECT_EQ(found.waits[2].thread, 9);
  EXPECT_EQ(found.waits[2].end_ns, 1'000'000'700);
  EXPECT_EQ(found.waits[3].begin_ns, 1'000'000'800);
  EXPECT_EQ(found.waits[3].end_ns, Wait::kLater);
}

TEST(OffCpu, AWakeUpEndsTheSleep) {
  const Script script = read_script(kSwitches);
  const Waits found = read_waits(script, {{8, {1'000'000'050, 1'000'000'500}}});
  EXPECT_EQ(found.waits[0].ready_ns, 1'000'000'500) << "the one before was for another sleep";
  EXPECT_EQ(found.waits[0].end_ns, 1'000'000'510);
  EXPECT_EQ(found.without_wake_up, 1) << "thread 9; thread 8 still sleeps";
}

TEST(OffCpu, WakeUpsAreReadWhateverThreadsAreCalled) {
  const Script script = read_script(
      " 0/0  1.000000005: sched:sched_wakeup: comm=my pid=3 x pid=14 prio=120 target_cpu=001\n"
      " 7/9  1.000000002: sched:sched_wakeup: comm=srv pid=14 prio=120 target_cpu=000\n"
      " 7/9  1.000000003: sched:sched_wakeup: comm=srv prio=120 target_cpu=000\n");
  EXPECT_EQ(script.unread_lines, 0);
  const WakeUps expected = {{14, {1'000'000'002, 1'000'000'005}}};
  EXPECT_EQ(read_wake_ups(script), expected);
}

// 4 begins, waits for a CPU, sleeps, and ends without ever running again as far as is known.
TEST(OffCpu, ThreadsThatBeginAndEndAreFollowed) {
  const Waits found = read_waits(read_script("1/1 1.000000010: PERF_RECORD_FORK(3:4):(1:1)\n"
                                             "3/4 1.000000030: PERF_RECORD_SWITCH IN\n"
                                             "3/4 1.000000040: PERF_RECORD_SWITCH OUT\n"
                                             "3/4 1.000000070: PERF_RECORD_EXIT(3:4):(1:1)\n"),
                                 {});
  ASSERT_THAT(found.waits, SizeIs(2));
  EXPECT_EQ(found.waits[0].kind, WaitKind::kNew);
  EXPECT_EQ(found.waits[0].process, 3);
  EXPECT_EQ(found.waits[0].begin_ns, 1'000'000'010);
  EXPECT_EQ(found.waits[0].end_ns, 1'000'000'030);
  EXPECT_EQ(found.waits[1].kind, WaitKind::kSleep);
  EXPECT_EQ(found.waits[1].end_ns, 1'000'000'070) << "not for ever";
  EXPECT_EQ(found.torn, 0);
  EXPECT_EQ(found.still_threads, 0);
}

TEST(OffCpu, AThreadThatEndsRunningWaitsForNothing) {
  const Waits found = read_waits(read_script("3/4 1.000000030: PERF_RECORD_SWITCH IN\n"
                                             "3/4 1.000000070: PERF_RECORD_EXIT(3:4):(1:1)\n"),
                                 {});
  EXPECT_THAT(found.waits, SizeIs(1)) << "that before it ran";
}

TEST(OffCpu, WaitsTornByLostRecordsAreCountedAndNotGuessed) {
  const Waits found = read_waits(read_script("7/8 1.000000000: PERF_RECORD_SWITCH OUT\n"
                                             "7/8 1.000000005: PERF_RECORD_LOST lost 3\n"
                                             "7/8 1.000000010: PERF_RECORD_SWITCH OUT\n"
                                             "7/8 1.000000020: PERF_RECORD_SWITCH IN\n"
                                             "7/8 1.000000030: PERF_RECORD_SWITCH IN\n"),
                                 {});
  EXPECT_EQ(found.torn, 2);
  ASSERT_THAT(found.waits, SizeIs(1));
  EXPECT_EQ(found.waits[0].begin_ns, 1'000'000'010);
}

TEST(OffCpu, NoRecordsAreNoWaits) { EXPECT_THAT(read_waits(Script(), {}).waits, IsEmpty()); }

TEST(OffCpu, CallsThatWaitForWhateverComes) {
  EXPECT_TRUE(waits_for_work("epoll_wait"));
  EXPECT_TRUE(waits_for_work("accept4"));
  EXPECT_FALSE(waits_for_work("futex")) << "a lock or a pool: it cannot be told";
  EXPECT_FALSE(waits_for_work("clock_nanosleep"));
  EXPECT_FALSE(waits_for_work(""));
}

}  // namespace
}  // namespace hotlap::profile
