// Texts of perf script 6.1, shortened.
#include "harness/audit/tracepoint_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hotlap::audit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint16_t kPort = 8080;
const Descriptors kInherited = {{0, {"/dev/null", false}}, {1, {"pipe:[7]", false}}};

// Text of perf, a line of it per nanosecond.
class Script {
 public:
  Script& enter(int number, const std::string& arguments, const std::string& task = "7/7") {
    return line(task, absl::StrCat(" raw_syscalls:sys_enter: NR ", number, " (", arguments, ")"));
  }
  Script& leave(int number, int64_t result, const std::string& task = "7/7") {
    return line(task, absl::StrCat("  raw_syscalls:sys_exit: NR ", number, " = ", result));
  }
  Script& call(int number, const std::string& arguments, int64_t result,
               const std::string& task = "7/7") {
    return enter(number, arguments, task).leave(number, result, task);
  }
  Script& line(const std::string& task, const std::string& event) {
    absl::StrAppend(&text_, task, " 60186.", 100000000 + lines_++, ": ", event, "\n");
    return *this;
  }

  absl::StatusOr<Trace> read() const { return read_tracepoints(text_, kPort, kInherited); }
  // Of a trace that can be read, each event as "TASK name(arguments) = result".
  std::vector<std::string> events() const {
    const auto trace = read();
    EXPECT_TRUE(trace.ok()) << trace.status();
    std::vector<std::string> texts;
    if (!trace.ok()) return texts;
    EXPECT_EQ(trace->unread_lines, 0) << text_;
    for (const TracedEvent& event : trace->events) {
      std::string text = absl::StrCat(event.task, " ");
      if (event.kind == EventKind::kExit) text += "ends";
      if (event.kind == EventKind::kSignal) absl::StrAppend(&text, "gets ", event.name);
      if (event.kind == EventKind::kCall) {
        absl::StrAppend(&text, event.name, "(", event.arguments, ") = ", event.result);
      }
      texts.push_back(text);
    }
    return texts;
  }

 private:
  std::string text_ = "    0/0         0.000000000: PERF_RECORD_COMM: hotlap-launch:7/7\n";
  int lines_ = 0;
};

TEST(TracepointScriptTest, ACallIsItsEntryAndItsExit) {
  const auto trace = Script().call(SYS_getppid, "7f00, 0, 0, 0, 0, 0", 6).read();
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->events.size(), 1U);
  const TracedEvent& event = trace->events.front();
  EXPECT_EQ(event.kind, EventKind::kCall);
  EXPECT_EQ(event.task, 7);
  EXPECT_EQ(event.begin_ns, 60'186'100'000'000);
  EXPECT_EQ(event.name, "getppid");
  EXPECT_EQ(event.arguments, "");
  EXPECT_EQ(event.result, "6");
}

TEST(TracepointScriptTest, DescriptorsAreLearnedOnTheWay) {
  Script script;
  script
      .leave(SYS_recvfrom, 1)  // in which the launcher waited
      .call(SYS_execve, "7f00, 7f01, 7f02, 0, 0, 0", 0)
      .call(SYS_socket, "2, 80801, 0, 0, 0, 0", 3)
      .call(SYS_listen, "3, 80, 0, 0, 0, 0", 0)
      .call(SYS_accept4, "3, 0, 0, 80800, 0, 0", 4)
      .call(SYS_recvfrom, "4, 7f1200001000, 1000, 0, 0, 0", 78)
      .call(SYS_write, "1, 7f1200001000, 9, 0, 0, 0", 9)
      .call(SYS_close, "4, 0, 0, 0, 0, 0", 0)
      .call(SYS_recvfrom, "4, 7f1200001000, 1000, 0, 0, 0", -9);
  EXPECT_THAT(
      script.events(),
      ElementsAre("7 execve(..., ..., ...) = 0",
                  "7 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK, 0) = 3<TCP:[0]>",
                  "7 listen(3<TCP:[0]>, 128) = 0",
                  "7 accept4(3<TCP:[127.0.0.1:8080]>, NULL, NULL, SOCK_CLOEXEC|SOCK_NONBLOCK) = "
                  "4<TCP:[127.0.0.1:8080->127.0.0.1:1]>",
                  "7 recvfrom(4<TCP:[127.0.0.1:8080->127.0.0.1:1]>, ..., 4096, 0, NULL, NULL) = 78",
                  "7 write(1<pipe:[7]>, ..., 9) = 9",
                  "7 close(4<TCP:[127.0.0.1:8080->127.0.0.1:1]>) = 0",
                  "7 recvfrom(4<descriptor>, 0x7f1200001000, 4096, 0, NULL, NULL) = -1 EBADF"));
}

TEST(TracepointScriptTest, CallsOfThreadsOverlapInTheOrderOfTheirEntries) {
  Script script;
  script.enter(SYS_nanosleep, "7f1200001000, 0, 0, 0, 0, 0", "7/8")
      .call(SYS_getppid, "0, 0, 0, 0, 0, 0", 6)
      .leave(SYS_nanosleep, 0, "7/8");
  EXPECT_THAT(script.events(),
              ElementsAre("8 nanosleep({tv_sec=...}, NULL) = 0", "7 getppid() = 6"));
}

TEST(TracepointScriptTest, NewTasksAreKnownByTheirRecord) {
  Script script;
  script.call(SYS_eventfd2, "0, 0, 0, 0, 0, 0", 3)
      .enter(SYS_clone3, "7f1200001000, 58, 0, 0, 0, 0")
      .line("7/7", "PERF_RECORD_FORK(7:8):(7:7)")
      .leave(SYS_clone3, 2)  // in its namespace
      .leave(SYS_clone3, 0, "7/8")
      .enter(SYS_clone3, "7f1200001000, 58, 0, 0, 0, 0", "7/8")
      .line("7/8", "PERF_RECORD_FORK(9:9):(7:8)")
      .leave(SYS_clone3, 0, "9/9")
      .call(SYS_close, "3, 0, 0, 0, 0, 0", 0, "9/9")
      .leave(SYS_clone3, 3, "7/8")
      .call(SYS_close, "3, 0, 0, 0, 0, 0", 0);
  EXPECT_THAT(script.events(), ElementsAre("7 eventfd2(0, 0) = 3<anon_inode:[eventfd]>",
                                           "7 clone3({flags=CLONE_THREAD|..., ...}, 88) = "
                                           "2 /* 8 in strace's PID NS */",
                                           "8 clone3(..., 88) = 3 /* 9 in strace's PID NS */",
                                           "9 close(3<anon_inode:[eventfd]>) = 0",
                                           "7 close(3<anon_inode:[eventfd]>) = 0"));
}

TEST(TracepointScriptTest, CallsThatNeverReturn) {
  Script script;
  script.enter(SYS_epoll_wait, "4, 7f1200001000, 100, ffffffff, 0, 0", "7/8")
      .enter(SYS_exit_group, "0, 0, 0, 0, 0, 0")
      .line("7/8", "PERF_RECORD_EXIT(7:8):(6:6)")
      .line("7/7", "PERF_RECORD_EXIT(7:7):(6:6)")
      .enter(SYS_pause, "0, 0, 0, 0, 0, 0", "9/9");
  EXPECT_THAT(script.events(),
              ElementsAre("8 epoll_wait(4<descriptor>, 0x7f1200001000, 256, -1) = ?",
                          "7 exit_group(0) = ?", "8 ends", "7 ends", "9 pause() = ?"));
}

TEST(TracepointScriptTest, ATidThatIsUsedAgainBeginsAfresh) {
  Script script;
  script
      .enter(SYS_exit, "0, 0, 0, 0, 0, 0", "7/8")  // whose end was not seen
      .enter(SYS_clone3, "7f1200001000, 58, 0, 0, 0, 0")
      .line("7/7", "PERF_RECORD_FORK(7:8):(7:7)")
      .leave(SYS_clone3, 0, "7/8")
      .call(SYS_getppid, "0, 0, 0, 0, 0, 0", 6, "7/8");
  EXPECT_THAT(script.events(),
              ElementsAre("8 exit(0) = ?", "7 clone3({flags=CLONE_THREAD|..., ...}, 88) = ?",
                          "8 getppid() = 6"));
}

TEST(TracepointScriptTest, SignalsAreEvents) {
  Script script;
  script.line("7/7", " signal:signal_deliver: sig=15 errno=0 code=0 sa_handler=55d0 sa_flags=4")
      .enter(SYS_rt_sigreturn, "0, 0, 0, 0, 0, 0")
      .leave(-1, -4);
  EXPECT_THAT(script.events(), ElementsAre("7 gets SIGTERM", "7 rt_sigreturn() = -1 EINTR"));
}

TEST(TracepointScriptTest, AnExitOfAnotherCallEndsNone) {
  Script script;
  script.enter(SYS_getppid, "0, 0, 0, 0, 0, 0").leave(SYS_read, 5);
  EXPECT_THAT(script.events(), ElementsAre("7 getppid() = ?"));
}

TEST(TracepointScriptTest, WhatCannotBeReadIsCounted) {
  Script script;
  script.line("7/7", " raw_syscalls:sys_enter: NR 45 (6, zz)")
      .line("7/7", " raw_syscalls:sys_exit: NR 45")
      .line("7/7", " sched:sched_switch: prev_comm=a");
  const auto trace = script.read();
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->unread_lines, 3);
  EXPECT_TRUE(trace->events.empty());
}

TEST(TracepointScriptTest, LostRecordsVoidTheTrace) {
  Script script;
  script.call(SYS_getppid, "0, 0, 0, 0, 0, 0", 6).line("7/7", "PERF_RECORD_LOST lost 12");
  const absl::Status status = script.read().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("perf lost 12 records"));
}

}  // namespace
}  // namespace hotlap::audit
