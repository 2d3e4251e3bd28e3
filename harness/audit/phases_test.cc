#include "harness/audit/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hotlap::audit {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMs = 1'000'000;

// A trace written by hand: what is added happens a microsecond after what came before.
class Script {
 public:
  int64_t now_ns() const { return now_ns_; }
  void at_ms(int64_t ms) { now_ns_ = ms * kMs; }
  void call(const std::string& text, int task = 10) {
    now_ns_ += 1000;
    absl::StrAppendFormat(&text_, "%d %d.%09d %s\n", task, now_ns_ / 1'000'000'000,
                          now_ns_ % 1'000'000'000, text);
  }
  Trace trace() const { return read_trace(text_); }

 private:
  int64_t now_ns_ = 0;
  std::string text_;
};

const char kWait[] =
    "epoll_wait(4<anon_inode:[eventpoll]>, [{events=EPOLLIN, data={u32=1, u64=1}}], 64, -1) = 1";
const char kReceive[] = "recvfrom(5<TCP:[127.0.0.1:8080->127.0.0.1:9]>, \"GET\"..., 4096, 0) = 78";
const char kAsk[] =
    "getpeername(5<TCP:[127.0.0.1:8080->127.0.0.1:9]>, {sa_family=AF_INET}, [16]) = 0";
const char kSend[] = "sendto(5<TCP:[127.0.0.1:8080->127.0.0.1:9]>, \"HTTP\"..., 130, 0) = 130";

// Starts at 1 ms, connects at 10 ms, a request every 10 ms from 20 ms on; the first asks for the
// peer's name; idle from then on for a second.
struct Told {
  Script script;
  Marks marks;
};
Told told(int requests) {
  Told t;
  t.script.call("recvfrom(3, \"\", 12, 0, NULL, NULL) = 12");  // the launcher's
  t.script.call("execve(\"/bin/server\", [\"server\"], 0x7ffc12345678 /* 9 vars */) = 0");
  t.script.call("listen(3<TCP:[127.0.0.1:8080]>, 128) = 0");
  t.script.call(kWait);
  t.marks.port = 8080;
  t.script.at_ms(10);
  t.marks.connect_ns = 10 * kMs;
  t.script.call(
      "accept4(3<TCP:[127.0.0.1:8080]>, NULL, NULL, 0) = "
      "5<TCP:[127.0.0.1:8080->127.0.0.1:9]>");
  t.script.call(kWait);
  for (int i = 0; i < requests; ++i) {
    t.script.at_ms(20 + 10 * i);
    t.marks.requests_ns.push_back(t.script.now_ns());
    t.script.call(kReceive);
    if (i == 0) t.script.call(kAsk);
    t.script.call(kSend);
    t.script.call(kWait);
  }
  t.script.at_ms(20 + 10 * requests);
  t.marks.closing_ns = t.marks.idle_begin_ns = t.script.now_ns();
  t.marks.idle_end_ns = t.marks.idle_begin_ns + 1000 * kMs;
  t.marks.end_ns = t.marks.idle_end_ns + 10 * kMs;
  return t;
}

std::vector<std::string> names(const hotlap::v1::AuditPhase& phase) {
  std::vector<std::string> found;
  for (const auto& count : phase.calls()) {
    found.push_back(absl::StrFormat("%s %.2f", count.name(), count.per_window()));
  }
  return found;
}

TEST(PhasesTest, TheFirstRequestStandsApart) {
  const Told t = told(64);
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_THAT(names(audit->start_up()),
              ::testing::UnorderedElementsAre("execve 1.00", "listen 1.00", "epoll_wait 1.00"));
  EXPECT_THAT(names(audit->connection()),
              ::testing::UnorderedElementsAre("accept4 1.00", "epoll_wait 1.00"));
  EXPECT_THAT(names(audit->first()),
              ::testing::UnorderedElementsAre("recvfrom 1.00", "getpeername 1.00", "sendto 1.00",
                                              "epoll_wait 1.00"));
  EXPECT_THAT(names(audit->later()),
              ::testing::UnorderedElementsAre("recvfrom 1.00", "sendto 1.00", "epoll_wait 1.00"));
  EXPECT_EQ(audit->later().windows(), 63U);
  ASSERT_EQ(audit->later().courses_size(), 1);
  EXPECT_EQ(audit->later().courses(0).windows(), 63U);
  ASSERT_EQ(audit->later().courses(0).steps_size(), 3);
  EXPECT_EQ(audit->later().courses(0).steps(0).lines(0).call(),
            "recvfrom(connection, ..., 4096, 0) = 78");
  EXPECT_EQ(audit->boundary(), "quiet");
  EXPECT_EQ(audit->threads(), 1U);
}

TEST(PhasesTest, IdleCallsAreSubtractedFromRequests) {
  Told t = told(4);
  const std::string timer = "read(7<anon_inode:[timerfd]>, \"\\1\"..., 8) = 8";
  // In one of three later requests a timer fires, and twice a second in idleness.
  t.marks.closing_ns = t.marks.idle_begin_ns = 60 * kMs;
  t.script.at_ms(55);
  t.script.call(timer);
  t.script.call(kWait);
  for (const int64_t ms : {200, 700}) {
    t.script.at_ms(ms);
    t.script.call(timer);
    t.script.call(kWait);
  }
  t.marks.idle_end_ns = 1060 * kMs;
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_THAT(names(audit->idle()),
              ::testing::UnorderedElementsAre("read 2.00", "epoll_wait 2.00"));
  // Two a second over the 30 ms of three later requests. The wait after the timer is idleness too;
  // the wait of each request is not, although it reads the same.
  std::map<std::string, double> idle;
  for (const auto& count : audit->later().calls()) idle[count.name()] = count.idle_calls();
  EXPECT_NEAR(idle["read"], 0.06, 1e-9);
  EXPECT_NEAR(idle["epoll_wait"], 0.06, 1e-9);
  EXPECT_EQ(idle["recvfrom"], 0);
  ASSERT_EQ(audit->later().courses_size(), 2);
  EXPECT_EQ(audit->later().courses(0).windows(), 2U);
}

TEST(PhasesTest, WhatEveryRequestDoesIsNotTakenForIdle) {
  Told t = told(8);
  for (int64_t ms = 110; ms < 1000; ms += 10) {
    t.script.at_ms(ms);
    t.script.call(kWait);
  }
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_THAT(names(audit->later()),
              ::testing::UnorderedElementsAre("recvfrom 1.00", "sendto 1.00", "epoll_wait 1.00"));
}

TEST(PhasesTest, ATargetThatNeverRestsLosesItsIdleCallsByRate) {
  Told t = told(4);
  t.marks.quiet = false;
  for (int64_t ms = 65; ms < 1060; ms += 5) {
    t.script.at_ms(ms);
    t.script.call("epoll_wait(4<anon_inode:[eventpoll]>, [], 64, 0) = 0");
  }
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->boundary(), "clock");
  EXPECT_THAT(audit->notes(0), HasSubstr("never came to rest"));
}

TEST(PhasesTest, TheClosingRequestIsNotCounted) {
  Told t = told(5);
  t.marks.closing_ns = t.marks.requests_ns.back();
  t.marks.requests_ns.pop_back();
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->later().windows(), 3U);
  for (const auto& count : audit->later().calls()) EXPECT_EQ(count.calls(), 3U) << count.name();
  EXPECT_EQ(audit->idle().calls_size(), 0);
}

TEST(PhasesTest, RepeatedCyclesWithinARequestAreFolded) {
  Told t = told(1);
  t.script.at_ms(30);
  t.marks.requests_ns.push_back(30 * kMs);
  for (int i = 0; i < 61; ++i) {
    t.script.call(kReceive);
    t.script.call(kSend);
  }
  t.script.call(kWait);
  t.marks.closing_ns = t.marks.idle_begin_ns = 40 * kMs;
  t.marks.idle_end_ns = t.marks.end_ns = 50 * kMs;
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  const auto& course = audit->later().courses(0);
  ASSERT_EQ(course.steps_size(), 2);
  EXPECT_EQ(course.steps(0).times(), 61U);
  EXPECT_EQ(course.steps(0).lines_size(), 2);
  EXPECT_DOUBLE_EQ(course.steps(0).lines(0).per_window(), 61);
}

TEST(PhasesTest, ThreadsAndChildrenAreCounted) {
  Told t;
  t.script.call("execve(\"/bin/server\", [\"server\"], 0x7ffc12345678 /* 9 vars */) = 0");
  t.script.call(
      "clone3({flags=CLONE_VM|CLONE_THREAD|CLONE_FILES}, 88) = 3 /* 11 in strace's PID "
      "NS */");
  t.script.call("clone(child_stack=NULL, flags=SIGCHLD) = 4 /* 12 in strace's PID NS */");
  t.script.call("getpid() = 2", 11);
  t.script.call("getpid() = 4", 12);
  t.marks = {.port = 8080, .connect_ns = 10 * kMs, .requests_ns = {20 * kMs}};
  t.script.at_ms(20);
  t.script.call(kReceive, 12);
  t.marks.closing_ns = t.marks.idle_begin_ns = t.marks.idle_end_ns = t.marks.end_ns = 30 * kMs;
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->threads(), 3U);
  EXPECT_EQ(audit->processes(), 2U);
}

TEST(PhasesTest, WhichThreadServesMakesNoOtherCourse) {
  Told t;
  t.script.call("execve(\"/bin/server\", [\"server\"], 0x7ffc12345678 /* 9 vars */) = 0");
  for (int i = 0; i < 4; ++i) {
    t.script.at_ms(20 + 10 * i);
    t.marks.requests_ns.push_back(t.script.now_ns());
    t.script.call(kWait, 10);
    t.script.call(kReceive, 20 + i);
  }
  t.marks.port = 8080;
  t.marks.connect_ns = 10 * kMs;
  t.marks.closing_ns = t.marks.idle_begin_ns = t.marks.idle_end_ns = t.marks.end_ns = 60 * kMs;
  const auto audit = divide(t.script.trace(), t.marks);
  ASSERT_TRUE(audit.ok()) << audit.status();
  ASSERT_EQ(audit->later().courses_size(), 1);
  EXPECT_EQ(audit->later().courses(0).steps(1).lines(0).task(), 2U);
}

TEST(PhasesTest, ALostRequestVoidsTheTrace) {
  Told t = told(4);
  t.marks.requests_ns.push_back(t.marks.idle_begin_ns);
  t.marks.closing_ns = t.marks.idle_begin_ns += kMs;
  const auto audit = divide(t.script.trace(), t.marks);
  EXPECT_EQ(audit.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(audit.status().message()), HasSubstr("request 5 of 5"));
}

TEST(PhasesTest, ATraceWithoutItsBeginIsRefused) {
  Told t = told(2);
  Script headless;
  headless.call(kWait);
  EXPECT_EQ(divide(headless.trace(), t.marks).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace hotlap::audit
