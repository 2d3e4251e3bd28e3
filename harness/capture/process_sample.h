// What /proc tells of a target's processes: resident memory, faults, context switches, and user
// and system time by the kernel's tick. Tens of microseconds a process: read it between sets.
#ifndef HOTLAP_HARNESS_CAPTURE_PROCESS_SAMPLE_H_
#define HOTLAP_HARNESS_CAPTURE_PROCESS_SAMPLE_H_

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::capture {

struct ProcessSample {
  int processes = 0;  // that were read; one that ended meanwhile is not among them
  int threads = 0;
  int64_t rss_bytes = 0;        // shared pages counted once for each process
  int64_t rss_peak_bytes = 0;   // likewise, the most that each ever had
  int64_t user_ns_sampled = 0;  // by ticks (10 ms units), ended waited-for children included
  int64_t system_ns_sampled = 0;
  int64_t minor_faults = 0;  // ended waited-for children included
  int64_t major_faults = 0;
  int64_t voluntary_switches = 0;  // of live threads: differences need the same threads
  int64_t involuntary_switches = 0;
};

// Sums over the processes; an error when none of them could be read.
absl::StatusOr<ProcessSample> sample_processes(const std::vector<pid_t>& pids);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_PROCESS_SAMPLE_H_
