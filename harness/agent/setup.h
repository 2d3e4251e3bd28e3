// A run's beginning on this host: defaults filled in, CPUs chosen, every target launched once and
// loaded for a moment, what it says of itself compared with what was asked, and the CPU clock
// chosen that fits all arms.
#ifndef HOTLAP_HARNESS_AGENT_SETUP_H_
#define HOTLAP_HARNESS_AGENT_SETUP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/agent/arm_process.h"
#include "harness/agent/cancellation.h"
#include "harness/agent/counting.h"
#include "harness/agent/seat.h"
#include "harness/load/replay_log.h"
#include "harness/proto/experiment.pb.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

struct Prepared {
  hotlap::v1::Experiment effective;
  std::unique_ptr<Seat> seat;
  CpuSource cpu_source = CpuSource::kProcessClock;
  bool has_ballast = false;
  Counting counting;
  std::vector<hotlap::v1::TargetEcho> echoes;
  std::vector<std::string> notes;
  std::shared_ptr<const load::ReplayLog> replay;  // null where none is replayed
};

// Errors name the arm and what to do; CANCELLED when that was raised, with the targets ended.
absl::StatusOr<Prepared> prepare(const hotlap::v1::Experiment& asked, Cancellation& cancellation);

// A moment of the workload: an arm that answers wrongly is found before anything is timed.
absl::Status try_workload(const ArmProcess& process, const std::string& arm,
                          const Prepared& prepared);

// The fifteen stages that `spec` stands for, as the registry of this build resolves it; the error
// lists what exists.
absl::StatusOr<std::string> resolve_pipeline(const std::string& spec);

// OK where a pipeline target runs the stages that it was asked to run.
absl::Status check_echo(const std::string& arm, const std::string& asked,
                        const std::string& echoed);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_SETUP_H_
