// The steps of a set-up; see setup.h.
#include "harness/agent/setup.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/agent/arm_environment.h"
#include "harness/agent/counting.h"
#include "harness/agent/effective.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/open_loop.h"
#include "harness/agent/replay.h"
#include "harness/capture/perf_counter.h"
#include "harness/load/generator.h"
#include "server/pipeline.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::Experiment;
using hotlap::v1::TargetEcho;

constexpr int64_t kTryNs = 20'000'000;

}  // namespace

absl::Status try_workload(const ArmProcess& process, const std::string& arm,
                          const Prepared& prepared) {
  const Experiment& experiment = prepared.effective;
  const std::vector<int>& cpus = prepared.seat->placement().load_cpus;
  std::string error;
  auto generator =
      load::Generator::start(cpus, static_cast<int>(experiment.workload().threads()), error);
  if (generator == nullptr) return absl::ResourceExhaustedError(error);
  auto spec = load_arm(process.process(), experiment.workload(), prepared.replay);
  if (!spec.ok()) return spec.status();
  const size_t index = generator->add_arm(*std::move(spec));
  const load::Opened opened = generator->open(index);
  if (!opened.error.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("arm ", arm, ": ", opened.error));
  }
  const auto result = generator->run({{index, kTryNs}}, [](const load::Edge&) { return true; });
  hotlap::v1::ErrorCounts counts;
  for (const auto& slice : result.slices) add_counts(slice.counts, counts);
  absl::Status status = check_errors(arm, counts, experiment.workload().allowed_error_share());
  if (!status.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        std::string(status.message()), "; the first: ", generator->first_failure(index)));
  }
  int64_t handshakes = 0;
  int64_t resumed = 0;
  for (const auto& slice : result.slices) {
    handshakes += slice.tls_handshakes;
    resumed += slice.tls_resumed;
  }
  // The first of each connection has nothing to resume.
  const int64_t again = handshakes - int64_t{experiment.workload().connections()};
  if (resumes_sessions(process.process().echo()) && again > 0 && resumed == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("arm ", arm, ": none of ", again,
                     " handshakes resumed a session, as its transport "
                     "says that it does: it would be timed under a wrong name"));
  }
  return absl::OkStatus();
}

namespace {

// What one launched arm says of itself; `processes` becomes how many it consists of.
absl::StatusOr<TargetEcho> try_arm(const Prepared& prepared, size_t index, size_t& processes) {
  const auto& arm = prepared.effective.arms(static_cast<int>(index));
  auto process = ArmProcess::launch(
      prepared.seat->spawner(), arm,
      prepared.seat->launch_options(index, static_cast<uint32_t>(index)), CpuSource::kNone, {});
  if (!process.ok()) return of_arm(arm.name(), process.status());
  const targets::TargetProcess& target = (*process)->process();
  TargetEcho echo;
  echo.set_arm(arm.name());
  const targets::TargetSpec spec = target_spec(arm.target());
  echo.set_asked(spec.value);
  // Its directory is this run's own, and gone when one reads this.
  echo.set_program(target.program().substr(target.program().rfind('/') + 1));
  echo.set_pipeline(target.echo());
  if (spec.kind == targets::TargetKind::kPipeline) {
    absl::Status same = check_echo(arm.name(), spec.value, target.echo());
    if (!same.ok()) return same;
  }
  absl::Status preloaded = check_preloaded(target.output_tail());
  if (!preloaded.ok()) return of_arm(arm.name(), preloaded);
  absl::Status answered = try_workload(**process, arm.name(), prepared);
  absl::Status alive = target.status();
  if (!alive.ok()) return of_arm(arm.name(), alive);
  if (!answered.ok()) return of_arm(arm.name(), answered);
  processes = target.tree().size();
  return echo;
}

bool perf_task_clock_opens() {
  const auto counters =
      capture::PerfCounters::open(getpid(), {"task-clock"}, capture::CounterStart::kNow);
  return counters.ok() && counters->unavailable().empty();
}

void choose_cpu_source(Prepared& prepared, const std::vector<size_t>& processes) {
  bool several = false;
  bool uncounted = false;
  for (size_t arm = 0; arm < processes.size(); ++arm) {
    several = several || processes[arm] > 1;
    if (processes[arm] == 0) {
      uncounted = true;
      prepared.echoes[arm].set_unavailable("a url target is loaded and not counted");
    }
  }
  if (several) {
    prepared.cpu_source = perf_task_clock_opens() ? CpuSource::kTaskClock : CpuSource::kTreeClock;
    if (prepared.cpu_source == CpuSource::kTreeClock) {
      prepared.notes.push_back(
          "perf's task-clock cannot be opened: CPU time is the sum of the clocks of the processes "
          "seen at launch, and children that come later are missed");
    }
  }
  for (size_t arm = 0; arm < processes.size(); ++arm) {
    prepared.echoes[arm].set_cpu_source(
        cpu_source_name(processes[arm] == 0 ? CpuSource::kNone : prepared.cpu_source));
  }
  if (!uncounted) return;
  prepared.effective.set_skip_counting(true);
  prepared.notes.push_back("an arm is a url target: CPU, faults and system calls are not counted");
}

// The log, and the open loop, which may go by it.
absl::Status prepare_stream(Prepared& prepared) {
  auto& experiment = prepared.effective;
  auto log = read_replay(experiment.workload());
  if (!log.ok()) return log.status();
  prepared.replay = *std::move(log);
  if (prepared.replay != nullptr) {
    prepared.notes.push_back(
        replay_text(experiment.workload().replay().path(), tally_message(*prepared.replay)));
  }
  if (!experiment.has_open_passes()) return absl::OkStatus();
  auto loop = effective_open_loop(experiment.open_passes().loop(), prepared.replay.get());
  if (!loop.ok()) return loop.status();
  *experiment.mutable_open_passes()->mutable_loop() = *std::move(loop);
  return absl::OkStatus();
}

absl::Status choose_primary(Prepared& prepared, const Experiment& asked) {
  bool uncounted = false;
  for (const auto& echo : prepared.echoes) uncounted = uncounted || echo.cpu_source() == "none";
  if (!uncounted || prepared.effective.primary_metric() != "cpu_per_request") {
    return absl::OkStatus();
  }
  if (asked.primary_metric() == "cpu_per_request") {
    return absl::InvalidArgumentError(
        "cpu_per_request cannot be counted for a url target: choose --metric throughput, or give "
        "the server as a cmd: target");
  }
  prepared.effective.set_primary_metric("throughput");
  prepared.notes.push_back("the primary metric is throughput, since a url target is not counted");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> resolve_pipeline(const std::string& spec) {
  std::string error;
  const auto pipeline = server::parse_pipeline(spec, error);
  if (!pipeline) return absl::InvalidArgumentError(error);
  return server::describe_pipeline(*pipeline);
}

absl::Status check_echo(const std::string& arm, const std::string& asked,
                        const std::string& echoed) {
  auto resolved = resolve_pipeline(asked);
  if (!resolved.ok()) return of_arm(arm, resolved.status());
  if (*resolved == echoed) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("arm ", arm, " was asked to run ", *resolved,
                                                    " and says that it runs ", echoed,
                                                    ": rebuild hotlap and hotlap-server together"));
}

absl::StatusOr<Prepared> prepare(const Experiment& asked, Cancellation& cancellation) {
  Prepared prepared;
  auto effective = effective_experiment(asked);
  if (!effective.ok()) return effective.status();
  prepared.effective = *std::move(effective);
  for (const auto& arm : prepared.effective.arms()) {
    if (!arm.target().has_pipeline()) continue;
    auto resolved = resolve_pipeline(arm.target().pipeline());
    if (!resolved.ok()) return of_arm(arm.name(), resolved.status());
    if (!absl::StrContains(*resolved, "ballast=none")) prepared.has_ballast = true;
  }
  absl::Status stream = prepare_stream(prepared);
  if (!stream.ok()) return stream;
  auto seat = Seat::take(prepared.effective);
  if (!seat.ok()) return seat.status();
  prepared.seat = *std::move(seat);
  const targets::Placement& placement = prepared.seat->placement();
  auto& chosen = *prepared.effective.mutable_placement();
  chosen.mutable_server_cpus()->Assign(placement.server_cpus.begin(), placement.server_cpus.end());
  chosen.mutable_load_cpus()->Assign(placement.load_cpus.begin(), placement.load_cpus.end());
  prepared.notes.insert(prepared.notes.end(), placement.notes.begin(), placement.notes.end());
  const absl::Status isolation = prepared.seat->spawner().pid_namespace_status();
  if (!isolation.ok()) {
    prepared.notes.push_back(absl::StrCat("targets get no PID namespace (",
                                          std::string(isolation.message()),
                                          "): a subreaper ends them"));
  }
  std::vector<size_t> processes(static_cast<size_t>(prepared.effective.arms_size()), 0);
  Cancellation::Hook end_targets(cancellation, [&prepared] { prepared.seat->spawner().end_all(); });
  for (size_t arm = 0; arm < processes.size(); ++arm) {
    auto echo = try_arm(prepared, arm, processes[arm]);
    if (cancellation.raised()) return absl::CancelledError("cancelled");
    if (!echo.ok()) return echo.status();
    prepared.echoes.push_back(*std::move(echo));
  }
  choose_cpu_source(prepared, processes);
  const absl::Status counting = choose_counting(prepared);
  if (cancellation.raised()) return absl::CancelledError("cancelled");
  if (!counting.ok()) return counting;
  absl::Status primary = choose_primary(prepared, asked);
  if (!primary.ok()) return primary;
  return prepared;
}

}  // namespace hotlap::agent
