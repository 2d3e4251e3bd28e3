// Hardware counts around a timed loop, by the harness's own capture. What this machine does not
// count is absent, never zero, and the reason is there to be printed once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/capture/perf_counter.h"

namespace hotlap::variants {

class LoopCounters {
 public:
  struct Event {
    const char* name;     // as libpfm4 and the harness know it
    const char* counter;  // as the benchmark reports it
  };
  static constexpr std::array<Event, 3> kEvents = {
      {{"instructions", "instructions"}, {"cycles", "cycles"}, {"branch-misses", "branch_misses"}}};
  using Values = std::array<std::optional<std::int64_t>, kEvents.size()>;

  // Opens what can be opened on this process.
  LoopCounters();

  // Since the counters were opened; some microseconds, which a loop of milliseconds hides.
  Values read() const;
  // Empty where all are counted.
  const std::string& why_absent() const { return why_absent_; }

 private:
  std::optional<capture::PerfCounters> counters_;
  std::string why_absent_;
};

}  // namespace hotlap::variants
