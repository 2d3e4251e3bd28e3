// Every way to ask for memory counts once, and what does not ask does not count.
#include "variants/micro_benchmark/allocation_count.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace hotlap::variants {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Owned = std::unique_ptr<void, Free>;

template <class Ask>
std::uint64_t allocations_of(Ask ask) {
  const std::uint64_t before = allocations_of_this_thread();
  ask();
  return allocations_of_this_thread() - before;
}

// What is not looked at, a compiler may leave out.
void keep(const void* memory) { asm volatile("" : : "g"(memory) : "memory"); }

TEST(AllocationCount, EveryWayCountsOnce) {
  EXPECT_EQ(allocations_of([] { keep(Owned(std::malloc(10)).get()); }), 1u);
  EXPECT_EQ(allocations_of([] { keep(Owned(std::calloc(2, 10)).get()); }), 1u);
  EXPECT_EQ(allocations_of([] { keep(Owned(std::realloc(nullptr, 10)).get()); }), 1u);
  EXPECT_EQ(allocations_of([] { keep(Owned(std::aligned_alloc(64, 64)).get()); }), 1u);
  EXPECT_EQ(allocations_of([] { keep(Owned(memalign(64, 64)).get()); }), 1u);
  EXPECT_EQ(allocations_of([] {
              void* memory = nullptr;
              EXPECT_EQ(posix_memalign(&memory, 64, 64), 0);
              keep(Owned(memory).get());
            }),
            1u);
  EXPECT_EQ(allocations_of([] { keep(std::make_unique<int>(3).get()); }), 1u);
  EXPECT_EQ(allocations_of([] { keep(std::string(100, 'x').data()); }), 1u);
}

TEST(AllocationCount, WhatAsksForNothingCountsNothing) {
  EXPECT_EQ(allocations_of([] { keep(std::string("short").data()); }), 0u);
  EXPECT_EQ(allocations_of([] { keep(nullptr); }), 0u);
}

TEST(AllocationCount, MemoryIsAlignedAndZeroedAsAsked) {
  const Owned aligned(std::aligned_alloc(256, 256));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.get()) % 256, 0u);
  const Owned zeroed(std::calloc(16, 1));
  for (int i = 0; i < 16; ++i) EXPECT_EQ(static_cast<char*>(zeroed.get())[i], 0);
}

TEST(AllocationCount, AnotherThreadsAllocationsAreItsOwn) {
  std::uint64_t of_thread = 0;
  std::thread other;
  const auto body = [&of_thread] {
    of_thread = allocations_of([] {
      for (int i = 0; i < 100; ++i) keep(std::make_unique<int>(i).get());
    });
  };
  const std::uint64_t here = allocations_of([&] { other = std::thread(body); });
  other.join();
  EXPECT_EQ(of_thread, 100u);
  EXPECT_LT(here, 100u);
}

}  // namespace
}  // namespace hotlap::variants
