#include "harness/audit/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::audit {
namespace {

TracedEvent only(const std::string& line) {
  const Trace trace = read_trace(line + "\n");
  EXPECT_EQ(trace.unread_lines, 0) << line;
  EXPECT_EQ(trace.events.size(), 1U) << line;
  return trace.events.empty() ? TracedEvent() : trace.events.front();
}

TEST(TraceTest, AWholeCall) {
  const TracedEvent event = only(
      "27467 1796044531.830463116 recvfrom(5<TCP:[1.2.3.4:5->1.2.3.4:6]>, \"x = (y)\", 100, 0, "
      "NULL, NULL) = 5");
  EXPECT_EQ(event.kind, EventKind::kCall);
  EXPECT_EQ(event.task, 27467);
  EXPECT_EQ(event.begin_ns, 1796044531830463116);
  EXPECT_EQ(event.name, "recvfrom");
  EXPECT_EQ(event.arguments, "5<TCP:[1.2.3.4:5->1.2.3.4:6]>, \"x = (y)\", 100, 0, NULL, NULL");
  EXPECT_EQ(event.result, "5");
}

TEST(TraceTest, ResultsOfEveryForm) {
  EXPECT_EQ(only("1 1.000000000 close(5)                = 0").result, "0");
  EXPECT_EQ(only("1 1.000000000 getpid() = 7 /* 27 in strace's PID NS */").result,
            "7 /* 27 in strace's PID NS */");
  EXPECT_EQ(
      only("1 1.000000000 read(0, \"\", 1) = -1 EAGAIN (Resource temporarily unavailable)").result,
      "-1 EAGAIN (Resource temporarily unavailable)");
  EXPECT_EQ(only("1 1.000000000 exit_group(0) = ?").result, "?");
  EXPECT_EQ(only("1 1.000000000 poll([{fd=3, events=POLLIN}], 1, -1) = 1 ([{fd=3, "
                 "revents=POLLIN}])")
                .result,
            "1 ([{fd=3, revents=POLLIN}])");
  // The text holds what ends a call.
  EXPECT_EQ(only("1 1.000000000 write(1, \") = 3\", 5) = 5").arguments, "1, \") = 3\", 5");
}

TEST(TraceTest, SplitCallsAreJoinedAtTheirBegin) {
  const Trace trace = read_trace(
      "1 1.000000000 epoll_wait(4,  <unfinished ...>\n"
      "2 1.000000001 getpid() = 2\n"
      "1 1.000000002 <... epoll_wait resumed>[{events=EPOLLIN}], 64, -1) = 1\n");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.unread_lines, 0);
  EXPECT_EQ(trace.events[0].name, "epoll_wait");
  EXPECT_EQ(trace.events[0].arguments, "4, [{events=EPOLLIN}], 64, -1");
  EXPECT_EQ(trace.events[0].result, "1");
  EXPECT_EQ(trace.events[0].begin_ns, 1'000'000'000);
  EXPECT_EQ(trace.events[1].name, "getpid");
}

TEST(TraceTest, ACallThatNeverReturnsHasNoResult) {
  const Trace trace = read_trace(
      "1 1.000000000 epoll_wait(4,  <unfinished ...>\n"
      "1 1.000000002 <... epoll_wait resumed> <unfinished ...>) = ?\n"
      "2 1.000000000 futex(0x7f, FUTEX_WAIT <unfinished ...>\n"
      "2 1.000000003 +++ killed by SIGKILL +++\n");
  ASSERT_EQ(trace.events.size(), 3U);
  EXPECT_EQ(trace.events[1].name, "futex");
  EXPECT_EQ(trace.events[1].result, "?");
  EXPECT_EQ(trace.events[2].kind, EventKind::kExit);
}

TEST(TraceTest, SignalsAreEventsAndStopsAreNot) {
  EXPECT_EQ(only("1 1.000000000 --- SIGTERM {si_signo=SIGTERM, si_pid=3} ---").kind,
            EventKind::kSignal);
  EXPECT_EQ(only("1 1.000000000 --- SIGTERM {si_signo=SIGTERM, si_pid=3} ---").name, "SIGTERM");
  EXPECT_TRUE(read_trace("1 1.000000000 --- stopped by SIGSTOP ---\n").events.empty());
}

TEST(TraceTest, WhatCannotBeReadIsCounted) {
  const Trace trace = read_trace("hello\n1 1.5 close(1) = 0\n1 1.000000000 half a li");
  EXPECT_TRUE(trace.events.empty());
  EXPECT_EQ(trace.unread_lines, 3);
}

TEST(TraceTest, CreatedTasksAreKnownAcrossNamespaces) {
  EXPECT_EQ(created_task("12 /* 3456 in strace's PID NS */"), 3456);
  EXPECT_EQ(created_task("3456"), 3456);
  EXPECT_EQ(created_task("-1 EAGAIN (Resource temporarily unavailable)"), 0);
  EXPECT_EQ(created_task("?"), 0);
}

}  // namespace
}  // namespace hotlap::audit
