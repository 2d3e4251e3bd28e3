// One variant, timed: calls are made until Google Benchmark has enough, with hardware counts around
// its loop; allocations are counted beforehand over calls of their own, so that they are exact and
// the timed loop does nothing else than call.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

#include "variants/micro_benchmark/allocation_count.h"
#include "variants/micro_benchmark/loop_counters.h"

namespace hotlap::variants {

inline constexpr char kAllocationsCounter[] = "allocations";

// The answer is not that of the stage's reference: not timed, and the program ends with an error.
inline void refuse_as_different(benchmark::State& state) {
  state.SkipWithError("answers otherwise than the reference variant: not timed");
}

inline void report_counts(benchmark::State& state, const LoopCounters::Values& before,
                          const LoopCounters::Values& after) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!before[i] || !after[i]) continue;
    const auto count = static_cast<double>(*after[i] - *before[i]);
    state.counters[LoopCounters::kEvents[i].counter] =
        benchmark::Counter(count, benchmark::Counter::kAvgIterations);
  }
}

// `life` makes `calls` calls, as a connection of so many requests does from its first to its last;
// what is reported is a call.
template <class Life>
void measure_lives(benchmark::State& state, const LoopCounters& counters, std::int64_t calls,
                   Life life) {
  constexpr int kLeastCountedCalls = 128;
  for (int warm = 0; warm < 2; ++warm) life();
  const std::int64_t counted = (kLeastCountedCalls + calls - 1) / calls;
  const std::uint64_t before = allocations_of_this_thread();
  for (std::int64_t i = 0; i < counted; ++i) life();
  const auto allocations = static_cast<double>(allocations_of_this_thread() - before);

  const LoopCounters::Values start = counters.read();
  while (state.KeepRunningBatch(calls)) life();
  report_counts(state, start, counters.read());
  state.counters[kAllocationsCounter] = allocations / static_cast<double>(counted * calls);
}

template <class Call>
void measure_calls(benchmark::State& state, const LoopCounters& counters, Call call) {
  measure_lives(state, counters, 1, call);
}

}  // namespace hotlap::variants
