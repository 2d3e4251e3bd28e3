// CPU times from a known /proc/stat, and from this machine's.
#include "harness/capture/steal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hotlap::capture {
namespace {

constexpr char kStat[] =
    "cpu  30 0 10 1000 5 1 2 7 3 0\n"
    "cpu0 20 1 5 500 5 1 1 4 3 0\n"
    "cpu1 10 0 5 500 0 0 1 3 0 0\n"
    "cpu10 1 1 1 1 1 1 1 1 1 1\n"
    "intr 12345\n";
constexpr int64_t kTick = 10'000'000;

TEST(StealTest, SumsTheCpusAskedForAndCountsGuestTimeOnce) {
  const auto one = parse_cpu_times(kStat, {0}, kTick);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->steal_ns, 4 * kTick);
  EXPECT_EQ(one->busy_ns, (20 + 1 + 5 + 1 + 1) * kTick);
  EXPECT_EQ(one->idle_ns, 505 * kTick);
  EXPECT_EQ(parse_cpu_times(kStat, {0, 1}, kTick)->steal_ns, 7 * kTick);
  EXPECT_EQ(parse_cpu_times(kStat, {}, kTick)->steal_ns, 8 * kTick);
}

TEST(StealTest, AMissingCpuIsNamed) {
  const auto missing = parse_cpu_times(kStat, {0, 2}, kTick);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), ::testing::HasSubstr("CPU 2"));
  EXPECT_FALSE(parse_cpu_times("", {}, kTick).ok());
  EXPECT_FALSE(parse_cpu_times("cpu0 1 2\n", {}, kTick).ok());
}

TEST(StealTest, ThisMachineNeverRunsBackwards) {
  const auto before = read_cpu_times({});
  const auto after = read_cpu_times({});
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_GE(after->busy_ns, before->busy_ns);
  EXPECT_GT(before->busy_ns, 0);
}

}  // namespace
}  // namespace hotlap::capture
