// What the counting pass of a run counts: chosen at set-up by trying it on every arm, so that what
// cannot be counted has its reason before the first round.
#ifndef HOTLAP_HARNESS_AGENT_COUNTING_H_
#define HOTLAP_HARNESS_AGENT_COUNTING_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "harness/capture/perf_counter.h"

namespace hotlap::agent {

struct Prepared;

struct Counting {
  bool syscalls = false;
  bool by_strace = false;           // in place of tracepoints
  std::vector<std::string> calls;   // by name; of all arms, the most frequent first
  std::vector<bool> allocations;    // by arm
  std::vector<std::string> events;  // of the pass of events
  std::optional<capture::PerfCounters> kept_tracepoints;  // of those calls

  // As a sentence has it: "24 system calls by name, allocations"; empty where nothing is counted.
  // What strace does costs a multiple of what it looks at, and is left out.
  std::string words(size_t arm) const;
  // As in Run.
  std::string syscall_source() const;
};

// Fills in `prepared.counting`, the arms' reasons in `prepared.echoes`, and notes; skips the pass
// where nothing at all can be counted. INVALID_ARGUMENT: a counter that was asked for is none.
absl::Status choose_counting(Prepared& prepared);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_COUNTING_H_
