// Two readings add up to what happened between them, and what was not read stays absent.
#include "harness/agent/edge_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

using hotlap::v1::ArmRound;

TEST(EdgeReading, SetsAddUp) {
  EdgeReading begin{.cpu_ns = 100,
                    .syscalls = 10,
                    .named_syscalls = {{4, 2}},
                    .allocations = {},
                    .cgroup_cpu_ns = 1000,
                    .events = {7}};
  begin.allocations = capture::AllocationTotals{5, 500, 4};
  EdgeReading end{.cpu_ns = 400,
                  .syscalls = 30,
                  .named_syscalls = {{14, 5}},
                  .allocations = {},
                  .cgroup_cpu_ns = 1600,
                  .events = {12}};
  end.allocations = capture::AllocationTotals{8, 900, 5};
  ArmRound sum;
  for (int set = 0; set < 2; ++set) add_set(begin, end, {"read", "write"}, {"page-faults"}, sum);
  EXPECT_EQ(sum.cpu_ns(), 600);
  EXPECT_EQ(sum.syscalls(), 40);
  EXPECT_EQ(sum.cgroup_cpu_ns(), 1200);
  EXPECT_EQ(sum.allocations(), 6);
  EXPECT_EQ(sum.allocated_bytes(), 800);
  EXPECT_EQ(sum.frees(), 2);
  ASSERT_EQ(sum.events_size(), 1);
  EXPECT_EQ(sum.events(0).event(), "page-faults");
  EXPECT_EQ(sum.events(0).count(), 10);
  ASSERT_EQ(sum.syscalls_by_name_size(), 3);
  EXPECT_EQ(sum.syscalls_by_name(0).calls(), 20);
  EXPECT_EQ(sum.syscalls_by_name(1).calls(), 6);
  EXPECT_EQ(sum.syscalls_by_name(2).name(), "other");
  EXPECT_EQ(sum.syscalls_by_name(2).calls(), 14);
}

TEST(EdgeReading, CallsOfATraceAreTotalledWithWhatHasNoName) {
  ArmRound sum;
  for (int round = 0; round < 2; ++round) {
    add_calls({{"getpid", 3}, {"read", 20}}, {"read", "write"}, sum);
  }
  EXPECT_EQ(sum.syscalls(), 46);
  ASSERT_EQ(sum.syscalls_by_name_size(), 3);
  EXPECT_EQ(sum.syscalls_by_name(0).calls(), 40);
  EXPECT_EQ(sum.syscalls_by_name(1).calls(), 0);
  EXPECT_EQ(sum.syscalls_by_name(2).calls(), 6);
}

TEST(EdgeReading, WhatWasNotReadAtBothEdgesStaysAbsent) {
  EdgeReading begin{.cpu_ns = 100,
                    .syscalls = {},
                    .named_syscalls = {},
                    .allocations = {},
                    .cgroup_cpu_ns = {},
                    .events = {}};
  ArmRound sum;
  add_set(begin, {}, {"read"}, {"page-faults"}, sum);
  add_set({}, begin, {"read"}, {"page-faults"}, sum);
  EXPECT_FALSE(sum.has_cpu_ns());
  EXPECT_FALSE(sum.has_syscalls());
  EXPECT_FALSE(sum.has_allocations());
  EXPECT_FALSE(sum.has_cgroup_cpu_ns());
  EXPECT_EQ(sum.events_size(), 0);
  EXPECT_EQ(sum.syscalls_by_name_size(), 0);
}

}  // namespace
}  // namespace hotlap::agent
