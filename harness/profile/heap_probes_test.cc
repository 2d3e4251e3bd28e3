// What probes tell, which programs have none, and that known allocations are seen exactly.
#include "harness/profile/heap_probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace hotlap::profile {
namespace {

using ::testing::HasSubstr;

TEST(HeapProbes, BytesAreThoseAskedFor) {
  EXPECT_EQ(allocated_bytes("hotlap_7_a:malloc: (7f00aa) size=64"), 64.0);
  EXPECT_EQ(allocated_bytes("hotlap_7_a:calloc: (7f00aa) size=10 count=3"), 30.0);
  EXPECT_EQ(allocated_bytes("hotlap_7_a:realloc: (7f00aa) size=500 old=139872"), 500.0);
  EXPECT_EQ(allocated_bytes("hotlap_7_a:posix_memalign: (7f00aa) size=256 align=64"), 256.0);
  EXPECT_EQ(allocated_bytes("hotlap_7_a:malloc: (7f00aa) size=0"), 0.0) << "a call all the same";
}

TEST(HeapProbes, WhatGoesOnToMallocIsTheCallThatMallocTells) {
  EXPECT_EQ(allocated_bytes("hotlap_7_a:realloc: (7f00aa) size=500 old=0"), std::nullopt);
  EXPECT_EQ(allocated_bytes("hotlap_7_a:memalign: (7f00aa) size=500 align=16"), std::nullopt);
}

TEST(HeapProbes, AReallocToNothingFrees) {
  EXPECT_EQ(allocated_bytes("hotlap_7_a:realloc: (7f00aa) size=0 old=139872"), std::nullopt);
}

TEST(HeapProbes, OtherTextIsNoAllocation) {
  for (const char* text : {"", "sched:sched_wakeup: comm=srv pid=7", "x: size=", "x: size=y"}) {
    EXPECT_EQ(allocated_bytes(text), std::nullopt) << text;
  }
}

TEST(HeapProbes, ThisProgramHasALibc) {
  const auto path = common_libc({getpid()});
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_THAT(*path, HasSubstr("/libc.so"));
}

TEST(HeapProbes, WithoutProcessesThereIsNoLibc) {
  EXPECT_THAT(std::string(common_libc({}).status().message()), HasSubstr("no process has a libc"));
}

}  // namespace
}  // namespace hotlap::profile
