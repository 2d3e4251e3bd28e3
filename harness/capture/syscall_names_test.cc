// Known calls of a running target, counted by name beside all of them together.
#include "harness/capture/syscall_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <optional>

#include "harness/capture/perf_counter.h"
#include "harness/targets/testing.h"

namespace hotlap::capture {
namespace {

TEST(SyscallNamesTest, NamesAreThoseOfTheManual) {
  EXPECT_EQ(syscall_event("fstat"), "syscalls:sys_enter_newfstat");
  EXPECT_EQ(syscall_event("recvfrom"), "syscalls:sys_enter_recvfrom");
}

TEST(SyscallNamesTest, NumbersHaveTheirNames) {
  EXPECT_EQ(syscall_name(SYS_recvfrom), "recvfrom");
  EXPECT_EQ(syscall_name(SYS_fstat), "fstat");
  EXPECT_EQ(syscall_name(SYS_io_uring_enter), "io_uring_enter");
  EXPECT_EQ(syscall_name(0x7fff), "syscall_0x7fff");
}

TEST(SyscallNamesTest, NamesAndTotalAgree) {
  const std::vector<std::string> events = {"syscalls", syscall_event("getppid"),
                                           syscall_event("execve")};
  const auto spawner = targets::make_test_spawner();
  ASSERT_NE(spawner, nullptr);
  std::optional<PerfCounters> counters;
  targets::LaunchOptions options = targets::test_options();
  options.before_exec = [&](pid_t pid) -> absl::Status {
    auto opened = PerfCounters::open(pid, events);
    if (!opened.ok()) return opened.status();
    counters = *std::move(opened);
    return absl::OkStatus();
  };
  const auto target = spawner->launch(targets::test_pipeline("serve"), options);
  ASSERT_TRUE(target.ok()) << target.status();
  if (!counters->unavailable().empty()) {
    GTEST_SKIP() << counters->unavailable().begin()->second;
  }
  const auto before = counters->read();
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(targets::ask((*target)->endpoint(), "calls 1234"), "done");
  const auto after = counters->read();
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(*(*after)[1] - *(*before)[1], 1234);
  EXPECT_GT(*(*after)[0] - *(*before)[0], 1234);
  EXPECT_EQ(*(*after)[2] - *(*before)[2], 0);
}

}  // namespace
}  // namespace hotlap::capture
