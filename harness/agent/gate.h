// The equivalence gate within a run: every arm is launched and asked the same, and the replies are
// compared before anything is timed.
#ifndef HOTLAP_HARNESS_AGENT_GATE_H_
#define HOTLAP_HARNESS_AGENT_GATE_H_

#include "absl/status/statusor.h"
#include "harness/agent/cancellation.h"
#include "harness/agent/setup.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

// Arms that are pipelines of the lab's server answer the conformance corpus (its short form unless
// `full`); all arms answer the workload's own requests. Differences are in the summary; an error
// means that the comparison itself could not be made.
absl::StatusOr<hotlap::v1::VerifySummary> run_gate(const Prepared& prepared, bool full,
                                                   Cancellation& cancellation);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_GATE_H_
