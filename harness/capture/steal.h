// How busy CPUs were, and how much of their time the hypervisor took, from /proc/stat. In ticks
// of 10 ms: fit for a round, never for a slice.
#ifndef HOTLAP_HARNESS_CAPTURE_STEAL_H_
#define HOTLAP_HARNESS_CAPTURE_STEAL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::capture {

struct CpuTimes {
  int64_t steal_ns = 0;
  int64_t busy_ns = 0;  // everything but idle, iowait and steal
  int64_t idle_ns = 0;  // idle and iowait
};

// Sums over `cpus`; over all CPUs where it is empty. An error names a CPU that is not listed.
absl::StatusOr<CpuTimes> read_cpu_times(const std::vector<int>& cpus);

// The same from the text of /proc/stat.
absl::StatusOr<CpuTimes> parse_cpu_times(std::string_view proc_stat, const std::vector<int>& cpus,
                                         int64_t ns_per_tick);

int64_t tick_ns();  // 10'000'000 on most machines

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_STEAL_H_
