// One uninterrupted open-loop load of every arm, one after the other in a drawn order, on fresh
// processes: what slices cannot show is the tail, since a slice cuts the schedule at its edges.
// Everything drawn follows from (seed, index).
#ifndef HOTLAP_HARNESS_AGENT_OPEN_PASS_H_
#define HOTLAP_HARNESS_AGENT_OPEN_PASS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "harness/agent/cancellation.h"
#include "harness/agent/round_runner.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

// The experiment has open passes. Errors as of run_round. Requests that were never sent are no
// errors of an arm: they are counted, and told.
absl::StatusOr<hotlap::v1::OpenPass> run_open_pass(const RoundContext& context, uint32_t index,
                                                   Cancellation& cancellation);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_OPEN_PASS_H_
