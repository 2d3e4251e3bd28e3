// What one step of the `ballast` stage costs here and now: the very code that a server runs, timed
// on the servers' CPU in short turns between rounds. A micro-benchmark minutes earlier would differ
// by more than what is looked for.
#ifndef HOTLAP_HARNESS_AGENT_BALLAST_CLOCK_H_
#define HOTLAP_HARNESS_AGENT_BALLAST_CLOCK_H_

#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::agent {

// Nanoseconds of CPU time a step, by a thread pinned to `cpus`; takes about 10 ms.
absl::StatusOr<double> ballast_step_ns(const std::vector<int>& cpus);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_BALLAST_CLOCK_H_
