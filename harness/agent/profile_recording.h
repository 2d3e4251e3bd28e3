// One pass of a profile over one arm: what perf is asked to record for the view that the pass is
// for, and how often. Each view has turns of load of its own, so that what one costs the target is
// not in the figures of another.
#ifndef HOTLAP_HARNESS_AGENT_PROFILE_RECORDING_H_
#define HOTLAP_HARNESS_AGENT_PROFILE_RECORDING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/profile/heap_probes.h"
#include "harness/profile/perf_record.h"
#include "harness/profile/tally.h"
#include "harness/targets/spawner.h"

namespace hotlap::agent {

enum class ProfileView {
  kCpu,
  kOffCpu,
  kHeap,
  kHeapCount,  // every allocation without its stack, to learn how many there are
};

// The same for all arms and views.
struct RecordingPlan {
  std::string event;                             // of the CPU's samples
  uint32_t frequency_hz = 0;                     // of samples, and at most about of stacks
  std::optional<profile::CallGraph> call_graph;  // as asked; else by target
  std::vector<int> cpus;                         // where perf runs
};

struct Recording {
  ProfileView view = ProfileView::kCpu;
  profile::CallGraph call_graph = profile::CallGraph::kUnwindTables;
  uint32_t every = 1;                           // the stack of every so many-th event is taken
  std::unique_ptr<profile::HeapProbes> probes;  // of kHeap; they outlive who records them
  std::unique_ptr<profile::PerfRecord> perf;
  std::unique_ptr<profile::PerfRecord> wake_ups;  // of kOffCpu, where they may be seen
  absl::Status no_wake_ups;                       // else why not, with the remedy
  std::vector<profile::Turn> turns;

  // OK while it records.
  absl::Status status() const;
  void stop();
};

// Attached to a target that runs, as `processes`; `events_per_s` is how many it has of what the
// view is of, about. Files are named `file` and an ending.
absl::StatusOr<Recording> begin_recording(targets::Spawner& spawner, const RecordingPlan& plan,
                                          ProfileView view, const std::vector<pid_t>& processes,
                                          double events_per_s, const std::string& file);

// Every how many-th event a stack is taken of so that about `stacks_per_s` are: 1, or a prime
// number from `smallest` on, so that no event of those that each request has is always left out.
uint32_t stack_interval(double events_per_s, double stacks_per_s, uint32_t smallest);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_PROFILE_RECORDING_H_
