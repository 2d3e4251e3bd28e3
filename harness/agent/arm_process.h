// One arm's server in one round, with the counters that belong to it: the process, its CPU clock,
// and in the counting pass its system calls. Reading the clock costs one system call for a single
// process, 9 to 17 microseconds for an inherited counter.
#ifndef HOTLAP_HARNESS_AGENT_ARM_PROCESS_H_
#define HOTLAP_HARNESS_AGENT_ARM_PROCESS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/audit/tracer.h"
#include "harness/capture/allocation_count.h"
#include "harness/capture/cgroup.h"
#include "harness/capture/cpu_clock.h"
#include "harness/capture/perf_counter.h"
#include "harness/capture/process_sample.h"
#include "harness/proto/experiment.pb.h"
#include "harness/targets/spawner.h"
#include "harness/targets/target_process.h"

namespace hotlap::agent {

// Where an arm's CPU time comes from. All arms of a run use the same, so that its cost cancels.
enum class CpuSource {
  kNone,          // a url target: nothing is counted
  kProcessClock,  // one process each
  kTaskClock,     // processes come and go: an inherited perf task-clock
  kTreeClock,     // several processes and no perf: the sum of their clocks
};
const char* cpu_source_name(CpuSource source);

// What a pass counts of an arm: nothing, all system calls together, or those names as well; its
// allocations, where there is a directory for the table that they are counted in; perf events.
struct ArmCounting {
  bool syscalls = false;
  std::string trace;  // of a tracer, which counts them in place of counters; its files begin so
  std::optional<audit::TracerKind> tracer;  // that one alone; else the first that may trace
  std::vector<std::string> names;           // as capture::known_syscalls has them
  std::string allocation_directory;
  std::vector<std::string> events;
};

targets::TargetSpec target_spec(const hotlap::v1::Target& target);

// "arm NAME: …", unless the message names its arm already.
absl::Status of_arm(const std::string& arm, const absl::Status& status);

class ArmProcess {
 public:
  // Launches the target; errors name the arm.
  static absl::StatusOr<std::unique_ptr<ArmProcess>> launch(targets::Spawner& spawner,
                                                            const hotlap::v1::Arm& arm,
                                                            targets::LaunchOptions options,
                                                            CpuSource source,
                                                            const ArmCounting& counting);

  targets::TargetProcess& process() { return *process_; }
  const targets::TargetProcess& process() const { return *process_; }

  // CPU time since launch; nothing for url targets, or once a process that was counted is gone.
  std::optional<int64_t> cpu_ns() const;
  // System calls since launch, of all threads and children. Nothing outside the counting pass.
  std::optional<int64_t> syscalls() const;
  // The same once it stands still, so that the calls by which a server goes back to waiting fall on
  // the side of the edge where they belong.
  std::optional<int64_t> settled_syscalls() const;
  // One count a name, in their order; nothing where they are not counted by name.
  std::optional<std::vector<int64_t>> named_syscalls() const;
  // The tracer's clock; 0 where there is no tracer.
  int64_t trace_time_ns() const;
  // By name, those that were entered within one of `windows`, from begin to before its end, by that
  // clock. Under a tracer alone, and once the process has ended.
  absl::StatusOr<std::map<std::string, int64_t>> traced_calls(
      const std::vector<std::pair<int64_t, int64_t>>& windows);
  // One count an event, in their order. An error where the machine cannot count all at once.
  absl::StatusOr<std::vector<int64_t>> events() const;
  // Since launch; nothing where they are not counted.
  std::optional<capture::AllocationTotals> allocations() const;
  // OK where every process that runs now is counted; else the reason.
  absl::Status check_allocations() const;
  // CPU time of the arm's cgroup; nothing where it has none.
  std::optional<int64_t> cgroup_cpu_ns() const;
  // Memory, faults and switches; nothing for url targets.
  std::optional<capture::ProcessSample> sample() const;

 private:
  ArmProcess() = default;
  absl::Status open_clock(const std::string& arm);
  absl::Status open_counters(pid_t pid, const std::vector<std::string>& events);
  absl::Status open_cgroup(const hotlap::v1::Arm& arm);
  absl::Status prepare_allocations(const ArmCounting& counting, targets::LaunchOptions& options);

  CpuSource source_ = CpuSource::kNone;
  std::optional<capture::PerfCounters> counters_;
  std::optional<size_t> task_clock_index_;
  std::optional<size_t> syscalls_index_;
  size_t named_ = 0;         // events after it that are single calls
  size_t asked_events_ = 0;  // the last of all
  std::optional<capture::TreeClock> tree_clock_;
  std::optional<capture::AllocationCounts> allocations_;
  std::optional<capture::CgroupCpu> cgroup_;
  std::unique_ptr<audit::Tracer> tracer_;
  std::unique_ptr<targets::TargetProcess> process_;
};

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_ARM_PROCESS_H_
