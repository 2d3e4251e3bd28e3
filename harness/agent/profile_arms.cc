// The course of a profile; see profile_arms.h.
#include "harness/agent/profile_arms.h"

#include <time.h>

#include <algorithm>
#include <cmath>
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
#include "harness/agent/seat.h"
#include "harness/agent/setup.h"
#include "harness/load/generator.h"
#include "harness/profile/perf_record.h"
#include "harness/profile/tally.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::Profile;
using hotlap::v1::ProfileRequest;

constexpr double kDefaultDurationS = 5;
constexpr double kMinDurationS = 0.1;
constexpr double kMaxDurationS = 600;
constexpr uint32_t kDefaultFrequencyHz = 4999;  // no divisor of the usual timers' rates
constexpr int64_t kUsualTurnNs = 100'000'000;
constexpr int64_t kFewTurns = 10;
constexpr int64_t kManyTurns = 200;
constexpr int64_t kWarmUpNs = 300'000'000;  // each arm, before perf is attached
constexpr absl::Duration kLastWords = absl::Milliseconds(500);

int64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class Profiler {
 public:
  Profiler(const ProfileRequest& request, Cancellation& cancellation)
      : request_(request), cancellation_(cancellation) {}

  absl::StatusOr<Profile> run();

 private:
  struct ArmState {
    std::unique_ptr<ArmProcess> process;
    std::unique_ptr<profile::PerfRecord> record;
    size_t load_index = 0;
    profile::CallGraph call_graph = profile::CallGraph::kUnwindTables;
    hotlap::v1::ErrorCounts counts;
    std::vector<profile::Turn> turns;
  };

  absl::Status settle();
  absl::Status settle_sampling();
  absl::Status launch();
  absl::Status load();
  absl::Status warm_up();
  absl::Status attach(size_t arm);
  absl::Status take_turns();
  absl::Status check_arm(size_t arm);
  absl::Status collect();
  absl::Status of_arm(size_t arm, const absl::Status& status) const;
  std::vector<load::SliceSpec> schedule(uint32_t turns, int64_t turn_ns) const;
  size_t arm_of(size_t load_index) const;
  const hotlap::v1::Arm& arm(size_t index) const { return request_.arms(static_cast<int>(index)); }

  const ProfileRequest& request_;
  Cancellation& cancellation_;
  hotlap::v1::Experiment experiment_;
  TurnPlan plan_;
  std::string event_;
  uint32_t frequency_hz_ = 0;
  std::optional<profile::CallGraph> call_graph_;  // as asked; else by target
  std::unique_ptr<Seat> seat_;
  std::vector<ArmState> arms_;
  std::unique_ptr<load::Generator> generator_;
  Profile profile_;
};

absl::Status Profiler::of_arm(size_t index, const absl::Status& status) const {
  return agent::of_arm(arm(index).name(), status);
}

absl::Status Profiler::settle_sampling() {
  const double duration_s = request_.has_duration_s() ? request_.duration_s() : kDefaultDurationS;
  if (!(duration_s >= kMinDurationS && duration_s <= kMaxDurationS)) {
    return absl::InvalidArgumentError(absl::StrCat("a duration of ", duration_s, " s: it takes ",
                                                   kMinDurationS, " to ", kMaxDurationS));
  }
  plan_ = plan_turns(std::llround(duration_s * 1e9));
  const std::string& call_graph = request_.call_graph();
  if (call_graph == "fp") call_graph_ = profile::CallGraph::kFramePointers;
  if (call_graph == "dwarf") call_graph_ = profile::CallGraph::kUnwindTables;
  if (!call_graph.empty() && !call_graph_) {
    return absl::InvalidArgumentError(
        absl::StrCat("call graph \"", call_graph, "\" is neither fp nor dwarf"));
  }
  const uint32_t most_hz = profile::max_frequency_hz();
  frequency_hz_ = request_.has_frequency_hz() ? request_.frequency_hz()
                                              : std::min(kDefaultFrequencyHz, most_hz);
  if (frequency_hz_ >= 1 && frequency_hz_ <= most_hz) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a frequency of ", frequency_hz_, " Hz: this kernel allows 1 to ", most_hz,
      "; `sysctl -w kernel.perf_event_max_sample_rate=", frequency_hz_, "` allows more"));
}

absl::Status Profiler::settle() {
  if (request_.arms_size() < 1 || request_.arms_size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(request_.arms_size(), " arms: a profile is of one target or of two"));
  }
  for (int i = 0; i < request_.arms_size(); ++i) {
    if (!request_.arms(i).target().has_url()) continue;
    return of_arm(static_cast<size_t>(i),
                  absl::InvalidArgumentError("a url target has no process here that could be "
                                             "sampled: give it as a cmd: target"));
  }
  absl::Status sampling = settle_sampling();
  if (!sampling.ok()) return sampling;
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
  event_ = *std::move(event);
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
  const auto result = generator_->run(schedule(2, kWarmUpNs / 2), [this](const load::Edge& edge) {
    return !cancellation_.raised() && (edge.result == nullptr || edge.result->counts.failed() == 0);
  });
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  for (const auto& slice : result.slices) add_counts(slice.counts, arms_[arm_of(slice.arm)].counts);
  for (size_t i = 0; i < arms_.size(); ++i) {
    absl::Status status = check_arm(i);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Profiler::attach(size_t index) {
  ArmState& state = arms_[index];
  profile::RecordOptions options;
  options.processes = state.process->process().tree();
  if (options.processes.empty()) return check_arm(index);
  state.call_graph = call_graph_.value_or(profile::have_unwind_tables(options.processes)
                                              ? profile::CallGraph::kUnwindTables
                                              : profile::CallGraph::kFramePointers);
  options.cpus = seat_->placement().load_cpus;
  options.event = event_;
  options.frequency_hz = frequency_hz_;
  options.call_graph = state.call_graph;
  options.file = absl::StrCat(seat_->directory(), "/perf-", index);
  auto record = profile::PerfRecord::attach(seat_->spawner(), options);
  if (!record.ok()) return of_arm(index, record.status());
  state.record = *std::move(record);
  return absl::OkStatus();
}

absl::Status Profiler::take_turns() {
  const auto slices = schedule(plan_.turns, plan_.turn_ns);
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
    state.turns.push_back(turn);
    return counted && !cancellation_.raised() &&
           (edge.result->counts.failed() == 0 || experiment_.workload().allowed_error_share() > 0);
  });
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  for (const auto& slice : result.slices) add_counts(slice.counts, arms_[arm_of(slice.arm)].counts);
  for (size_t i = 0; i < arms_.size(); ++i) {
    absl::Status status = check_arm(i);
    if (status.ok()) status = of_arm(i, arms_[i].record->status());
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
  for (size_t i = 0; i < arms_.size() && status.ok(); ++i) status = attach(i);
  if (status.ok()) status = take_turns();
  for (ArmState& state : arms_) {
    if (state.record != nullptr) state.record->stop();
  }
  for (const ArmState& state : arms_) generator_->close(state.load_index);
  return status;
}

absl::Status Profiler::collect() {
  *profile_.mutable_workload() = experiment_.workload();
  std::vector<SampledArm> sampled;
  for (size_t i = 0; i < arms_.size(); ++i) {
    ArmState& state = arms_[i];
    hotlap::v1::ArmProfile& result = *profile_.add_arms();
    result.set_arm(arm(i).name());
    result.set_asked(target_spec(arm(i).target()).value);
    result.set_pipeline(state.process->process().echo());
    result.set_event(event_);
    result.set_frequency_hz(frequency_hz_);
    result.set_call_graph(profile::call_graph_name(state.call_graph));
    auto text = state.record->take_script();
    if (!text.ok()) return of_arm(i, text.status());
    sampled.push_back({std::move(state.turns), *std::move(text)});
  }
  return fill_findings(seat_->spawner(), seat_->directory(), std::move(sampled), profile_);
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

TurnPlan plan_turns(int64_t duration_ns) {
  const int64_t usual = (duration_ns + kUsualTurnNs / 2) / kUsualTurnNs;
  const int64_t turns = std::clamp(usual, kFewTurns, kManyTurns);
  return {static_cast<uint32_t>(turns), duration_ns / turns};
}

absl::StatusOr<Profile> profile_arms(const ProfileRequest& request, Cancellation& cancellation) {
  return Profiler(request, cancellation).run();
}

}  // namespace hotlap::agent
