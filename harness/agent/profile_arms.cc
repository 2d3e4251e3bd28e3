// The course of a profile; see profile_arms.h.
#include "harness/agent/profile_arms.h"

#include <time.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "harness/agent/arm_process.h"
#include "harness/agent/effective.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/profile_findings.h"
#include "harness/agent/profile_recording.h"
#include "harness/agent/profile_settings.h"
#include "harness/agent/profile_views.h"
#include "harness/agent/seat.h"
#include "harness/agent/setup.h"
#include "harness/capture/tracefs.h"
#include "harness/load/generator.h"
#include "harness/profile/heap_probes.h"
#include "harness/profile/perf_record.h"
#include "harness/profile/perf_script.h"
#include "harness/profile/tally.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::Profile;
using hotlap::v1::ProfileRequest;

constexpr int64_t kWarmUpNs = 300'000'000;  // each arm, before perf is attached
constexpr int64_t kCountNs = 50'000'000;    // each arm, while its allocations are counted
constexpr absl::Duration kLastWords = absl::Milliseconds(500);

int64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int64_t switches_of(const ArmProcess& process) {
  const auto sample = process.sample();
  return sample ? sample->voluntary_switches + sample->involuntary_switches : 0;
}

class Profiler {
 public:
  Profiler(const ProfileRequest& request, Cancellation& cancellation)
      : request_(request), cancellation_(cancellation) {}

  absl::StatusOr<Profile> run();

 private:
  struct ArmState {
    std::unique_ptr<ArmProcess> process;
    size_t load_index = 0;
    hotlap::v1::ErrorCounts counts;
    double switches_per_s = 0;          // of load, in the warm-up
    double allocations_per_s = 0;       // likewise, while each is seen
    std::string no_heap;                // why allocations cannot be seen; else empty
    std::vector<Recording> recordings;  // one a view, in the order of the settings
  };

  absl::Status settle();
  absl::Status launch();
  absl::Status load();
  absl::Status warm_up();
  absl::Status record(ProfileView view);
  absl::Status attach(size_t arm, ProfileView view);
  absl::Status count_allocations();
  bool heap_is_seen();
  absl::Status take_turns();
  absl::Status check_arm(size_t arm);
  absl::Status collect();
  absl::StatusOr<std::vector<SampledArm>> take_scripts(size_t view);
  absl::Status tell(ProfileView view, std::vector<SampledArm> sampled);
  absl::Status of_arm(size_t arm, const absl::Status& status) const;
  std::vector<load::SliceSpec> schedule(uint32_t turns, int64_t turn_ns) const;
  size_t arm_of(size_t load_index) const;
  const hotlap::v1::Arm& arm(size_t index) const { return request_.arms(static_cast<int>(index)); }

  const ProfileRequest& request_;
  Cancellation& cancellation_;
  hotlap::v1::Experiment experiment_;
  ProfileSettings settings_;
  std::unique_ptr<Seat> seat_;
  std::vector<ArmState> arms_;
  std::unique_ptr<load::Generator> generator_;
  Profile profile_;
};

absl::Status Profiler::of_arm(size_t index, const absl::Status& status) const {
  return agent::of_arm(arm(index).name(), status);
}

absl::Status Profiler::settle() {
  auto settings = settle_profile(request_);
  if (!settings.ok()) return settings.status();
  settings_ = *std::move(settings);
  auto workload = effective_workload(request_.workload());
  if (!workload.ok()) return workload.status();
  *experiment_.mutable_workload() = *std::move(workload);
  *experiment_.mutable_placement() = request_.placement();
  *experiment_.mutable_arms() = request_.arms();
  auto seat = Seat::take(experiment_);
  if (!seat.ok()) return seat.status();
  seat_ = *std::move(seat);
  arms_.resize(static_cast<size_t>(request_.arms_size()));
  return absl::OkStatus();
}

absl::Status Profiler::launch() {
  auto event = profile::choose_event(seat_->spawner(), seat_->directory());
  if (!event.ok()) return event.status();
  settings_.recording.event = *std::move(event);
  if (request_.off_cpu() || request_.heap()) capture::mount_tracefs_where_allowed();
  if (request_.heap()) {
    const absl::Status allowed = profile::may_set_probes();
    if (!allowed.ok()) {
      return absl::Status(allowed.code(), absl::StrCat("--heap: ", std::string(allowed.message())));
    }
  }
  settings_.recording.cpus = seat_->placement().load_cpus;
  for (size_t i = 0; i < arms_.size(); ++i) {
    auto process = ArmProcess::launch(seat_->spawner(), arm(i),
                                      seat_->launch_options(i, static_cast<uint32_t>(i)),
                                      CpuSource::kTaskClock, {});
    if (!process.ok()) return of_arm(i, process.status());
    arms_[i].process = *std::move(process);
    if (!arm(i).target().has_pipeline()) continue;
    absl::Status same =
        check_echo(arm(i).name(), arm(i).target().pipeline(), arms_[i].process->process().echo());
    if (!same.ok()) return of_arm(i, same);
  }
  return absl::OkStatus();
}

// A B, B A, A B, …
std::vector<load::SliceSpec> Profiler::schedule(uint32_t turns, int64_t turn_ns) const {
  std::vector<load::SliceSpec> slices;
  for (uint32_t turn = 0; turn < turns; ++turn) {
    for (size_t i = 0; i < arms_.size(); ++i) {
      const size_t arm = turn % 2 == 0 ? i : arms_.size() - 1 - i;
      slices.push_back({arms_[arm].load_index, turn_ns});
    }
  }
  return slices;
}

size_t Profiler::arm_of(size_t load_index) const {
  size_t arm = 0;
  while (arms_[arm].load_index != load_index) ++arm;
  return arm;
}

// A target that died says more than the requests that it left without a reply.
absl::Status Profiler::check_arm(size_t index) {
  ArmState& state = arms_[index];
  absl::Status errors =
      check_errors(arm(index).name(), state.counts, experiment_.workload().allowed_error_share());
  if (!errors.ok()) {
    state.process->process().await_end(kLastWords);
    errors = absl::FailedPreconditionError(
        absl::StrCat(std::string(errors.message()),
                     "; the first: ", generator_->first_failure(state.load_index)));
  }
  absl::Status alive = state.process->process().status();
  return of_arm(index, alive.ok() ? errors : alive);
}

absl::Status Profiler::warm_up() {
  std::vector<int64_t> before;
  for (const ArmState& state : arms_) before.push_back(switches_of(*state.process));
  const auto result = generator_->run(schedule(2, kWarmUpNs / 2), [this](const load::Edge& edge) {
    return !cancellation_.raised() && (edge.result == nullptr || edge.result->counts.failed() == 0);
  });
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  for (const auto& slice : result.slices) add_counts(slice.counts, arms_[arm_of(slice.arm)].counts);
  for (size_t i = 0; i < arms_.size(); ++i) {
    const auto switches = static_cast<double>(switches_of(*arms_[i].process) - before[i]);
    arms_[i].switches_per_s = switches / (static_cast<double>(kWarmUpNs) / 1e9);
    absl::Status status = check_arm(i);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Profiler::attach(size_t index, ProfileView view) {
  ArmState& state = arms_[index];
  const std::vector<pid_t> processes = state.process->process().tree();
  if (processes.empty()) return check_arm(index);
  const double events_per_s =
      view == ProfileView::kHeap ? state.allocations_per_s : state.switches_per_s;
  auto recording = begin_recording(
      seat_->spawner(), settings_.recording, view, processes, events_per_s,
      absl::StrCat(seat_->directory(), "/perf-", index, "-", static_cast<int>(view)));
  if (!recording.ok()) return of_arm(index, recording.status());
  state.recordings.push_back(*std::move(recording));
  return absl::OkStatus();
}

// Whether all arms allocate by a libc; the reason is kept of those that do not.
bool Profiler::heap_is_seen() {
  bool seen = true;
  for (ArmState& state : arms_) {
    const auto libc = profile::common_libc(state.process->process().tree());
    if (!libc.ok()) state.no_heap = std::string(libc.status().message());
    seen = seen && libc.ok();
  }
  return seen;
}

// How many allocations a second there are, so that stacks are taken of as many as can be borne.
absl::Status Profiler::count_allocations() {
  absl::Status status;
  for (size_t i = 0; i < arms_.size() && status.ok(); ++i) {
    status = attach(i, ProfileView::kHeapCount);
  }
  if (!status.ok()) return status;
  const auto result = generator_->run(
      schedule(1, kCountNs), [this](const load::Edge&) { return !cancellation_.raised(); });
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  for (const auto& slice : result.slices) add_counts(slice.counts, arms_[arm_of(slice.arm)].counts);
  for (size_t i = 0; i < arms_.size(); ++i) {
    status = check_arm(i);
    if (!status.ok()) return status;
    Recording recording = std::move(arms_[i].recordings.back());
    arms_[i].recordings.pop_back();
    recording.stop();
    auto text = recording.perf->take_script(false);
    if (!text.ok()) return of_arm(i, text.status());
    const profile::Script script = profile::read_script(*text);
    const auto calls =
        static_cast<double>(script.samples.size()) + static_cast<double>(script.lost_samples);
    arms_[i].allocations_per_s = calls / (static_cast<double>(kCountNs) / 1e9);
  }
  return absl::OkStatus();
}

// One view of all arms.
absl::Status Profiler::record(ProfileView view) {
  absl::Status status;
  for (size_t i = 0; i < arms_.size() && status.ok(); ++i) status = attach(i, view);
  if (status.ok()) status = take_turns();
  for (ArmState& state : arms_) {
    if (!state.recordings.empty()) state.recordings.back().stop();
  }
  return status;
}

absl::Status Profiler::take_turns() {
  const auto slices = schedule(settings_.turns.turns, settings_.turns.turn_ns);
  profile::Turn turn;
  std::optional<int64_t> cpu_begin_ns;
  bool counted = true;
  const auto result = generator_->run(slices, [&](const load::Edge& edge) {
    ArmState& state = arms_[arm_of(edge.arm)];
    if (edge.result == nullptr) {
      turn = {.begin_ns = monotonic_ns()};
      cpu_begin_ns = state.process->cpu_ns();
      return !cancellation_.raised();
    }
    const auto cpu_end_ns = state.process->cpu_ns();
    turn.end_ns = monotonic_ns();
    counted = counted && cpu_begin_ns && cpu_end_ns;
    if (counted) turn.cpu_ns = *cpu_end_ns - *cpu_begin_ns;
    turn.requests = edge.result->counts[load::Outcome::kOk];
    state.recordings.back().turns.push_back(turn);
    return counted && !cancellation_.raised() &&
           (edge.result->counts.failed() == 0 || experiment_.workload().allowed_error_share() > 0);
  });
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  for (const auto& slice : result.slices) add_counts(slice.counts, arms_[arm_of(slice.arm)].counts);
  for (size_t i = 0; i < arms_.size(); ++i) {
    absl::Status status = check_arm(i);
    if (status.ok()) status = of_arm(i, arms_[i].recordings.back().status());
    if (!status.ok()) return status;
  }
  if (!counted) return absl::InternalError("the targets' CPU time could not be read");
  return absl::OkStatus();
}

absl::Status Profiler::load() {
  const auto& workload = experiment_.workload();
  std::string error;
  generator_ = load::Generator::start(seat_->placement().load_cpus,
                                      static_cast<int>(workload.threads()), error);
  if (generator_ == nullptr) return absl::ResourceExhaustedError(error);
  Cancellation::Hook stop_load(cancellation_, [this] { generator_->cancel(); });
  for (size_t i = 0; i < arms_.size(); ++i) {
    auto spec = load_arm(arms_[i].process->process(), workload);
    if (!spec.ok()) return of_arm(i, spec.status());
    arms_[i].load_index = generator_->add_arm(*std::move(spec));
    const load::Opened opened = generator_->open(arms_[i].load_index);
    if (opened.error.empty()) continue;
    absl::Status alive = check_arm(i);
    return alive.ok() ? of_arm(i, absl::FailedPreconditionError(opened.error)) : alive;
  }
  absl::Status status = warm_up();
  if (status.ok() && request_.heap() && !heap_is_seen()) settings_.views.pop_back();
  for (const ProfileView view : settings_.views) {
    if (status.ok() && view == ProfileView::kHeap) status = count_allocations();
    if (status.ok()) status = record(view);
  }
  for (const ArmState& state : arms_) generator_->close(state.load_index);
  return status;
}

absl::StatusOr<std::vector<SampledArm>> Profiler::take_scripts(size_t view) {
  std::vector<SampledArm> sampled;
  for (size_t i = 0; i < arms_.size(); ++i) {
    Recording& recording = arms_[i].recordings[view];
    SampledArm& arm = sampled.emplace_back();
    auto text = recording.perf->take_script(true, settings_.views[view] == ProfileView::kHeap);
    if (!text.ok()) return of_arm(i, text.status());
    arm.script = *std::move(text);
    if (recording.wake_ups != nullptr) {
      text = recording.wake_ups->take_script(false, true);
      if (!text.ok()) return of_arm(i, text.status());
      arm.wake_ups = *std::move(text);
    }
    arm.no_wake_ups = recording.no_wake_ups;
    arm.every = recording.every;
    arm.call_graph = profile::call_graph_name(recording.call_graph);
    arm.turns = std::move(recording.turns);
  }
  return sampled;
}

absl::Status Profiler::tell(ProfileView view, std::vector<SampledArm> sampled) {
  if (view == ProfileView::kOffCpu) return add_off_cpu(std::move(sampled), profile_);
  if (view == ProfileView::kHeap) return add_heap(std::move(sampled), profile_);
  return fill_findings(seat_->spawner(), seat_->directory(), std::move(sampled), profile_);
}

absl::Status Profiler::collect() {
  *profile_.mutable_workload() = experiment_.workload();
  for (size_t i = 0; i < arms_.size(); ++i) {
    hotlap::v1::ArmProfile& result = *profile_.add_arms();
    result.set_arm(arm(i).name());
    result.set_asked(target_spec(arm(i).target()).value);
    result.set_pipeline(arms_[i].process->process().echo());
    result.set_event(settings_.recording.event);
    result.set_frequency_hz(settings_.recording.frequency_hz);
    if (!arms_[i].no_heap.empty()) {
      result.add_notes(absl::StrCat("no view of the heap: ", arms_[i].no_heap));
    }
  }
  absl::Status status;
  for (size_t view = 0; view < settings_.views.size() && status.ok(); ++view) {
    auto sampled = take_scripts(view);
    if (!sampled.ok()) return sampled.status();
    status = tell(settings_.views[view], *std::move(sampled));
  }
  return status;
}

absl::StatusOr<Profile> Profiler::run() {
  absl::Status status = settle();
  if (!status.ok()) return status;
  Cancellation::Hook end_targets(cancellation_, [this] { seat_->spawner().end_all(); });
  status = launch();
  if (status.ok()) status = load();
  // Load stops before servers do.
  generator_.reset();
  for (ArmState& state : arms_) {
    if (state.process != nullptr) state.process->process().stop();
  }
  if (status.ok()) status = collect();
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  if (!status.ok()) return status;
  return std::move(profile_);
}

}  // namespace

absl::StatusOr<Profile> profile_arms(const ProfileRequest& request, Cancellation& cancellation) {
  return Profiler(request, cancellation).run();
}

}  // namespace hotlap::agent
