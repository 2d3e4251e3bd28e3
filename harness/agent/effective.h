// The options that a run really uses: what was asked, checked, with every default filled in. The
// agent returns them with each response, so that a result never depends on a default of the day.
#ifndef HOTLAP_HARNESS_AGENT_EFFECTIVE_H_
#define HOTLAP_HARNESS_AGENT_EFFECTIVE_H_

#include "absl/status/statusor.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::agent {

// Errors (INVALID_ARGUMENT) name the field, its value and what it may be. The seed is drawn from
// the system where none was given. CPUs are not chosen here: see targets::Placement.
absl::StatusOr<hotlap::v1::Experiment> effective_experiment(const hotlap::v1::Experiment& asked);

// The same for a workload alone, as `hotlap load` uses it.
absl::StatusOr<hotlap::v1::Workload> effective_workload(const hotlap::v1::Workload& asked);

// Long enough that its ramp and drain hold at most 5 % of its requests: 5 ms at up to 16
// connections, and in proportion beyond.
double default_slice_ms(uint32_t connections);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_EFFECTIVE_H_
