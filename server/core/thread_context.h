// What one serving thread has for itself: the date's state, a clock, and a buffer for files.
#pragma once

#include <ctime>
#include <memory>

#include "server/pipeline.h"
#include "server/stage_state.h"

namespace hotlap::server {

// Monotonic, coarse (a few milliseconds) and without a syscall: good enough for time-outs.
inline std::int64_t coarse_now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

class ThreadContext {
 public:
  static constexpr std::size_t kScratchBytes = 64 * 1024;

  explicit ThreadContext(const Pipeline& pipeline)
      : date_state(pipeline.date->info), scratch(new char[kScratchBytes]) {}

  StageState date_state;
  std::unique_ptr<char[]> scratch;
  std::int64_t now_ms = coarse_now_ms();
};

}  // namespace hotlap::server
