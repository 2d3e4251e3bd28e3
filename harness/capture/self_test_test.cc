// Known calls are counted exactly: 1,000,000 over 16 processes, which other tools undercount.
#include "harness/capture/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/capture/tracefs.h"

namespace hotlap::capture {
namespace {

class SelfTestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto count = count_known_calls({.processes = 1, .calls_per_process = 1});
    if (absl::IsUnavailable(count.status())) GTEST_SKIP() << count.status();
  }
};

TEST_F(SelfTestTest, OneProcess) { EXPECT_EQ(check_syscall_counting(), absl::OkStatus()); }

TEST_F(SelfTestTest, AMillionCallsOverSixteenProcesses) {
  const auto count = count_known_calls({.processes = 16, .calls_per_process = 62'500});
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(count->expected, 1'000'000 + 16 * 3 + 1);
  EXPECT_EQ(count->counted, count->expected);
}

TEST_F(SelfTestTest, ByName) {
  const absl::Status exact =
      check_named_syscall_counting({.processes = 4, .calls_per_process = 2'500});
  if (absl::IsUnavailable(exact)) GTEST_SKIP() << exact;
  EXPECT_EQ(exact, absl::OkStatus());
}

TEST(SelfTest, NonsenseIsRefused) {
  EXPECT_EQ(count_known_calls({.processes = 0, .calls_per_process = 1}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TracefsTest, TracepointsAreNamedInFull) {
  EXPECT_EQ(tracepoint_id("sys_enter").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(tracepoint_id("../x:y").status().code(), absl::StatusCode::kInvalidArgument);
  if (!find_tracefs().ok()) GTEST_SKIP() << find_tracefs().status();
  EXPECT_TRUE(tracepoint_id("raw_syscalls:sys_enter").ok());
  EXPECT_EQ(tracepoint_id("no_such:thing").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hotlap::capture
