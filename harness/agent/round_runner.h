// One round: fresh processes for every arm, several connection sets, blocks of slices in the drawn
// order, counters at the quiet edges. Everything drawn follows from (seed, pass, index).
#ifndef HOTLAP_HARNESS_AGENT_ROUND_RUNNER_H_
#define HOTLAP_HARNESS_AGENT_ROUND_RUNNER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/agent/arm_process.h"
#include "harness/agent/cancellation.h"
#include "harness/agent/counting.h"
#include "harness/agent/round_lengths.h"
#include "harness/agent/seat.h"
#include "harness/load/replay_log.h"
#include "harness/proto/experiment.pb.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

// What all rounds of a run share.
struct RoundContext {
  const hotlap::v1::Experiment* experiment;  // effective
  Seat* seat;
  CpuSource cpu_source = CpuSource::kProcessClock;
  bool measure_ballast = false;
  const Counting* counting = nullptr;
  std::shared_ptr<const load::ReplayLog> replay;  // null where none is replayed
};

// Errors: CANCELLED, soon after `cancellation` was raised, with the targets ended;
// FAILED_PRECONDITION when an arm is at fault (it died, it answered wrongly), and names it. A fault
// of the environment is no error: the round says why it is void.
absl::StatusOr<hotlap::v1::Round> run_round(const RoundContext& context, const std::string& pass,
                                            uint32_t index, Cancellation& cancellation);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_ROUND_RUNNER_H_
