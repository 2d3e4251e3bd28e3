// Launch, then counters; see arm_process.h.
#include "harness/agent/arm_process.h"

#include <time.h>

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/audit/trace.h"
#include "harness/capture/syscall_names.h"
#include "harness/load/clock.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::Target;

// A server that goes back to sleep does so within microseconds; one that is never still is read as
// it is after this many looks.
constexpr int kSettleLooks = 40;
constexpr int64_t kSettlePauseNs = 50'000;

}  // namespace

const char* cpu_source_name(CpuSource source) {
  switch (source) {
    case CpuSource::kProcessClock:
      return "process_clock";
    case CpuSource::kTaskClock:
      return "task_clock";
    case CpuSource::kTreeClock:
      return "tree_clock";
    case CpuSource::kNone:
      break;
  }
  return "none";
}

absl::Status of_arm(const std::string& arm, const absl::Status& status) {
  const std::string message(status.message());
  if (status.ok() || absl::StrContains(message, "arm ")) return status;
  return absl::Status(status.code(), absl::StrCat("arm ", arm, ": ", message));
}

targets::TargetSpec target_spec(const Target& target) {
  switch (target.kind_case()) {
    case Target::kServer:
      return {targets::TargetKind::kServer, target.server()};
    case Target::kCommand:
      return {targets::TargetKind::kCommand, target.command()};
    case Target::kUrl:
      return {targets::TargetKind::kUrl, target.url()};
    case Target::kPipeline:
    case Target::KIND_NOT_SET:
      break;
  }
  return {targets::TargetKind::kPipeline, target.pipeline()};
}

absl::StatusOr<std::unique_ptr<ArmProcess>> ArmProcess::launch(targets::Spawner& spawner,
                                                               const hotlap::v1::Arm& arm,
                                                               targets::LaunchOptions options,
                                                               CpuSource source,
                                                               const ArmCounting& counting) {
  std::unique_ptr<ArmProcess> launched(new ArmProcess());
  launched->source_ = source;
  options.arm = arm.name();
  std::vector<std::string> events;
  if (source == CpuSource::kTaskClock) {
    launched->task_clock_index_ = events.size();
    events.push_back("task-clock");
  }
  if (counting.syscalls && counting.trace.empty()) {
    launched->syscalls_index_ = events.size();
    launched->named_ = counting.names.size();
    events.push_back("syscalls");
    for (const std::string& name : counting.names) events.push_back(capture::syscall_event(name));
  }
  launched->asked_events_ = counting.events.size();
  events.insert(events.end(), counting.events.begin(), counting.events.end());
  // One that is not there is for the command to make.
  const auto cgroup = arm.cgroup().empty()
                          ? absl::StatusOr<std::string>(absl::NotFoundError(""))
                          : capture::find_cgroup(arm.cgroup(), capture::cgroup_mounts());
  options.traceable = options.traceable || !counting.trace.empty();
  if (!events.empty() || cgroup.ok() || !counting.trace.empty()) {
    options.before_exec = [&, given = options.before_exec](pid_t pid) -> absl::Status {
      if (cgroup.ok()) {
        absl::Status entered = capture::enter_cgroup(*cgroup, pid);
        if (!entered.ok()) return entered;
      }
      if (!events.empty()) {
        absl::Status opened = launched->open_counters(pid, events);
        if (!opened.ok()) return opened;
      }
      if (!counting.trace.empty()) {
        auto tracer = audit::Tracer::attach(spawner, pid, counting.trace, counting.tracer);
        if (!tracer.ok()) return tracer.status();
        launched->tracer_ = *std::move(tracer);
      }
      return given ? given(pid) : absl::OkStatus();
    };
  }
  absl::Status status = launched->prepare_allocations(counting, options);
  if (!status.ok()) return status;
  auto process = spawner.launch(target_spec(arm.target()), options);
  if (!process.ok()) return process.status();
  launched->process_ = *std::move(process);
  status = launched->open_clock(arm.name());
  if (status.ok() && !arm.cgroup().empty()) status = launched->open_cgroup(arm);
  if (!status.ok()) return status;
  return launched;
}

absl::Status ArmProcess::open_counters(pid_t pid, const std::vector<std::string>& events) {
  auto counters = capture::PerfCounters::open(pid, events);
  if (!counters.ok()) return counters.status();
  for (const auto& [event, reason] : counters->unavailable()) {
    return absl::UnavailableError(absl::StrCat("counter ", event, ": ", reason));
  }
  counters_ = *std::move(counters);
  return absl::OkStatus();
}

absl::Status ArmProcess::open_cgroup(const hotlap::v1::Arm& arm) {
  const auto directory = capture::find_cgroup(arm.cgroup(), capture::cgroup_mounts());
  auto cgroup = directory.ok() ? capture::CgroupCpu::open(*directory)
                               : absl::StatusOr<capture::CgroupCpu>(directory.status());
  if (!cgroup.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("arm ", arm.name(), ": ", std::string(cgroup.status().message())));
  }
  cgroup_ = *std::move(cgroup);
  return absl::OkStatus();
}

absl::Status ArmProcess::prepare_allocations(const ArmCounting& counting,
                                             targets::LaunchOptions& options) {
  if (counting.allocation_directory.empty()) return absl::OkStatus();
  auto counts = capture::AllocationCounts::create(counting.allocation_directory);
  if (!counts.ok()) return counts.status();
  counts->add_to(options.environment);
  allocations_ = *std::move(counts);
  return absl::OkStatus();
}

absl::Status ArmProcess::open_clock(const std::string& arm) {
  if (!process_->started_here()) return absl::OkStatus();
  if (source_ != CpuSource::kProcessClock && source_ != CpuSource::kTreeClock) {
    return absl::OkStatus();
  }
  std::vector<pid_t> pids = process_->tree();
  if (source_ == CpuSource::kProcessClock) pids = {process_->pid()};
  auto clock = capture::TreeClock::open(pids);
  if (!clock.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "arm ", arm, ": its CPU clock cannot be opened: ", std::string(clock.status().message()),
        "; ", std::string(process_->status().message())));
  }
  tree_clock_ = *std::move(clock);
  return absl::OkStatus();
}

std::optional<int64_t> ArmProcess::cpu_ns() const {
  if (tree_clock_) {
    const auto reading = tree_clock_->read();
    if (reading.vanished > 0) return std::nullopt;
    return reading.cpu_ns;
  }
  if (!task_clock_index_ || !counters_) return std::nullopt;
  const auto values = counters_->read();
  return values.ok() ? (*values)[*task_clock_index_] : std::nullopt;
}

std::optional<int64_t> ArmProcess::syscalls() const {
  if (!syscalls_index_ || !counters_) return std::nullopt;
  const auto values = counters_->read();
  return values.ok() ? (*values)[*syscalls_index_] : std::nullopt;
}

std::optional<int64_t> ArmProcess::settled_syscalls() const {
  std::optional<int64_t> before = syscalls();
  for (int look = 0; look < kSettleLooks; ++look) {
    const timespec pause{0, kSettlePauseNs};
    // tidy: allow sleep: that a counter has come to rest is no event; looks are bounded
    nanosleep(&pause, nullptr);
    const std::optional<int64_t> now = syscalls();
    if (now == before) break;
    before = now;
  }
  return before;
}

std::optional<std::vector<int64_t>> ArmProcess::named_syscalls() const {
  if (!syscalls_index_ || !counters_ || named_ == 0) return std::nullopt;
  const auto values = counters_->read();
  if (!values.ok()) return std::nullopt;
  std::vector<int64_t> calls;
  for (size_t i = *syscalls_index_ + 1; i <= *syscalls_index_ + named_; ++i) {
    if (!(*values)[i]) return std::nullopt;
    calls.push_back(*(*values)[i]);
  }
  return calls;
}

int64_t ArmProcess::trace_time_ns() const {
  return tracer_ == nullptr ? 0 : load::clock_ns(tracer_->clock());
}

absl::StatusOr<std::map<std::string, int64_t>> ArmProcess::traced_calls(
    const std::vector<std::pair<int64_t, int64_t>>& windows) {
  std::map<std::string, int64_t> calls;
  if (tracer_ == nullptr) return calls;
  const auto trace = tracer_->take_trace(process_->endpoint().port);
  if (!trace.ok()) return trace.status();
  for (const audit::TracedEvent& event : trace->events) {
    if (event.kind != audit::EventKind::kCall) continue;
    for (const auto& [begin_ns, end_ns] : windows) {
      if (event.begin_ns >= begin_ns && event.begin_ns < end_ns) ++calls[event.name];
    }
  }
  return calls;
}

absl::StatusOr<std::vector<int64_t>> ArmProcess::events() const {
  std::vector<int64_t> counts;
  if (!counters_ || asked_events_ == 0) return counts;
  const auto values = counters_->read();
  if (!values.ok()) return values.status();
  for (size_t i = values->size() - asked_events_; i < values->size(); ++i) {
    if (!(*values)[i]) return absl::UnavailableError(counters_->events()[i]);
    counts.push_back(*(*values)[i]);
  }
  return counts;
}

std::optional<capture::AllocationTotals> ArmProcess::allocations() const {
  if (!allocations_) return std::nullopt;
  return allocations_->read();
}

absl::Status ArmProcess::check_allocations() const {
  if (!allocations_) return absl::FailedPreconditionError("allocations are not counted");
  return allocations_->check(process_->tree());
}

std::optional<int64_t> ArmProcess::cgroup_cpu_ns() const {
  if (!cgroup_) return std::nullopt;
  const auto cpu = cgroup_->read_ns();
  return cpu.ok() ? std::optional<int64_t>(*cpu) : std::nullopt;
}

std::optional<capture::ProcessSample> ArmProcess::sample() const {
  if (!process_->started_here()) return std::nullopt;
  auto sample = capture::sample_processes(process_->tree());
  return sample.ok() ? std::optional<capture::ProcessSample>(*sample) : std::nullopt;
}

}  // namespace hotlap::agent
