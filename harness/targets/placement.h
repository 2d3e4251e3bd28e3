// Which CPUs serve and which load: apart from one another, and on different cores where the
// machine has siblings, so that the generator does not slow what it measures.
#ifndef HOTLAP_HARNESS_TARGETS_PLACEMENT_H_
#define HOTLAP_HARNESS_TARGETS_PLACEMENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::targets {

struct Placement {
  std::vector<int> server_cpus;
  std::vector<int> load_cpus;
  bool shared = false;             // at least one CPU is in both
  std::vector<std::string> notes;  // e.g. that siblings of one core had to be split
};

struct PlacementRequest {
  std::vector<int> server_cpus;  // empty: found
  std::vector<int> load_cpus;    // empty: found
  bool share = false;            // one CPU may do both
};

// What placement needs to know of the machine; separate so that tests can describe any machine.
struct CpuTopology {
  std::vector<int> allowed;                // by this process's affinity, ascending
  std::vector<std::vector<int>> siblings;  // per entry of allowed: CPUs of its core, itself too
};

absl::StatusOr<CpuTopology> read_cpu_topology();

// Load gets half of the cores (the last ones), servers the rest; with two CPUs one each. One CPU
// only, or overlapping sets, is an error unless `share` is set. CPUs asked for must be allowed.
absl::StatusOr<Placement> place(const PlacementRequest& request, const CpuTopology& topology);

// Pins the calling thread.
absl::Status pin_this_thread(const std::vector<int>& cpus);

// "0-2,5" <-> {0, 1, 2, 5}.
absl::StatusOr<std::vector<int>> parse_cpu_list(const std::string& text);
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_PLACEMENT_H_
