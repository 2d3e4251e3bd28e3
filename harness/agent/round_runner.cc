// The phases of a round in their order; see round_runner.h.
#include "harness/agent/round_runner.h"

#include <time.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "harness/agent/ballast_clock.h"
#include "harness/agent/disturbance.h"
#include "harness/agent/edge_reading.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/round_lengths.h"
#include "harness/capture/asleep.h"
#include "harness/load/generator.h"
#include "harness/plan/schedule.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::ArmRound;
using hotlap::v1::Experiment;
using hotlap::v1::Round;

constexpr absl::Duration kLastWords = absl::Milliseconds(500);
constexpr auto kQuietPatience = std::chrono::milliseconds(200);

int64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The first arm twice. A cgroup could not tell the two apart.
Experiment against_itself(const Experiment& experiment) {
  Experiment twice = experiment;
  hotlap::v1::Arm arm = experiment.arms(0);
  arm.clear_cgroup();
  twice.clear_arms();
  for (const char* name : {"plain", "counted"}) {
    *twice.add_arms() = arm;
    twice.mutable_arms()->rbegin()->set_name(absl::StrCat(arm.name(), ", ", name));
  }
  return twice;
}

class RoundRunner {
 public:
  RoundRunner(const RoundContext& context, const std::string& pass, uint32_t index,
              Cancellation& cancellation)
      : context_(context),
        experiment_(pass == kCostPass ? against_itself(*context.experiment) : *context.experiment),
        cost_(pass == kCostPass),
        counting_(pass == kCountingPass),
        events_(pass == kEventsPass),
        cancellation_(cancellation),
        lengths_(round_lengths(experiment_, pass)),
        draw_(plan::draw_round(experiment_.seed(), pass, index,
                               static_cast<uint32_t>(experiment_.arms_size()), lengths_.sets,
                               lengths_.blocks_per_set)) {
    round_.set_index(index);
    round_.set_pass(pass);
    arms_.resize(static_cast<size_t>(experiment_.arms_size()));
  }

  absl::StatusOr<Round> run();

 private:
  struct ArmState {
    std::unique_ptr<ArmProcess> process;
    size_t load_index = 0;
    load::Histogram latency;
    std::optional<int64_t> cpu_before_load_ns;
    int64_t warmup_requests = 0;
    int64_t rss_requests_begin = 0;
    bool counted_whole = true;  // allocations, of every process that there was
    std::vector<std::pair<int64_t, int64_t>> windows;  // of load, by the tracer's clock
    std::optional<capture::ProcessSample> first_sample;
    std::optional<capture::ProcessSample> set_begin;
    ArmRound result;
  };
  absl::Status launch_all();
  absl::Status start_load();
  absl::Status run_set(uint32_t set);
  absl::Status open_connections(uint32_t set);
  absl::Status warm_up(uint32_t set);
  absl::Status time_blocks(uint32_t set);
  void end_slice(const load::SliceResult& result, const EdgeReading& begin, const EdgeReading& end,
                 uint32_t set, uint32_t slice);
  void begin_set(ArmState& arm);
  void end_set(ArmState& arm, const EdgeReading& begin, const EdgeReading& end, int64_t load_ns);
  absl::Status check_arm(size_t arm);
  absl::Status check_arms();
  absl::Status explain_errors(size_t arm, const absl::Status& errors);
  OwnTimes own_times() const;
  bool goes_on(const load::Edge& edge) const;
  void set_latency(ArmState& arm) const;
  ArmCounting counting_of(uint32_t arm, uint32_t source) const;
  bool traced() const { return counting_ && context_.counting->by_strace; }
  void await_rest() const;
  absl::Status add_traced_calls(ArmState& arm) const;
  int64_t served(const ArmState& arm) const {
    return arm.warmup_requests + arm.result.counts().ok();
  }
  std::string arm_name(size_t arm) const { return experiment_.arms(static_cast<int>(arm)).name(); }

  const RoundContext& context_;
  const Experiment experiment_;
  const bool cost_;
  const bool counting_;
  const bool events_;
  Cancellation& cancellation_;
  const RoundLengths lengths_;
  const plan::RoundDraw draw_;
  Round round_;
  std::vector<ArmState> arms_;
  std::unique_ptr<load::Generator> generator_;
  int64_t begin_ns_ = 0;
  int64_t generator_cpu_ns_ = 0;  // warm-ups too
};

absl::Status RoundRunner::launch_all() {
  for (uint32_t arm : draw_.launch_order) {
    if (cancellation_.raised()) return absl::CancelledError("cancelled");
    const auto& roles = draw_.roles[arm];
    ArmState& state = arms_[arm];
    const uint32_t source = cost_ ? 0 : arm;  // of the experiment's arms
    targets::LaunchOptions options = context_.seat->launch_options(source, roles.path_slot);
    options.padding_bytes = roles.padding_bytes;
    auto process =
        ArmProcess::launch(context_.seat->spawner(), experiment_.arms(static_cast<int>(arm)),
                           options, context_.cpu_source, counting_of(arm, source));
    if (!process.ok()) return process.status();
    state.process = *std::move(process);
    state.result.set_arm(arm);
    auto* message = state.result.mutable_roles();
    message->set_launch_position(roles.launch_position);
    message->set_path_slot(roles.path_slot);
    message->set_padding_bytes(roles.padding_bytes);
    message->set_port(state.process->process().endpoint().port);
    for (pid_t pid : state.process->process().tree()) state.result.add_pids(pid);
  }
  return absl::OkStatus();
}

// In the cost pass only the second copy is counted, and its counts are of no use.
ArmCounting RoundRunner::counting_of(uint32_t arm, uint32_t source) const {
  const Counting& chosen = *context_.counting;
  ArmCounting counting;
  if (events_) counting.events = chosen.events;
  if (!counting_ && !(cost_ && arm == 1)) return counting;
  // What strace costs is no question: it is not switched on to learn that.
  counting.syscalls = chosen.syscalls && (counting_ || !chosen.by_strace);
  counting.names = chosen.calls;
  if (traced()) {
    counting.trace = absl::StrCat(context_.seat->directory(), "/calls-", arm);
    counting.tracer = audit::TracerKind::kStrace;
  }
  if (source < chosen.allocations.size() && chosen.allocations[source]) {
    counting.allocation_directory = context_.seat->directory();
  }
  return counting;
}

absl::Status RoundRunner::start_load() {
  const hotlap::v1::Workload workload = round_workload(experiment_, round_.pass(), round_.index());
  std::string error;
  generator_ = load::Generator::start(context_.seat->placement().load_cpus,
                                      static_cast<int>(workload.threads()), error);
  if (generator_ == nullptr) return absl::ResourceExhaustedError(error);
  // The order in every array is a role too.
  for (uint32_t arm : draw_.array_order) {
    auto spec = load_arm(arms_[arm].process->process(), workload, context_.replay);
    if (!spec.ok()) return spec.status();
    arms_[arm].load_index = generator_->add_arm(*std::move(spec));
  }
  return absl::OkStatus();
}

absl::Status RoundRunner::open_connections(uint32_t set) {
  uint32_t position = 0;
  for (uint32_t arm : draw_.sets[set].connect_order) {
    if (set == 0) arms_[arm].result.mutable_roles()->set_connect_position(position++);
    const load::Opened opened = generator_->open(arms_[arm].load_index);
    if (opened.error.empty()) continue;
    absl::Status alive = check_arm(arm);
    if (!alive.ok()) return alive;
    return absl::FailedPreconditionError(absl::StrCat("arm ", arm_name(arm), ": ", opened.error));
  }
  return absl::OkStatus();
}

absl::Status RoundRunner::check_arm(size_t arm) {
  absl::Status status = arms_[arm].process->process().status();
  if (status.ok()) return status;
  return absl::FailedPreconditionError(std::string(status.message()));
}

// Errors were seen: a target that died of them is about to be reaped, and its end says more than
// the resets that it left behind.
absl::Status RoundRunner::explain_errors(size_t arm, const absl::Status& errors) {
  arms_[arm].process->process().await_end(kLastWords);
  absl::Status alive = check_arm(arm);
  if (!alive.ok()) return alive;
  return absl::FailedPreconditionError(
      absl::StrCat(std::string(errors.message()),
                   "; the first: ", generator_->first_failure(arms_[arm].load_index)));
}

absl::Status RoundRunner::check_arms() {
  for (size_t arm = 0; arm < arms_.size(); ++arm) {
    absl::Status status = check_arm(arm);
    if (!status.ok()) return status;
    status = check_errors(arm_name(arm), arms_[arm].result.counts(),
                          experiment_.workload().allowed_error_share());
    if (!status.ok()) return explain_errors(arm, status);
  }
  return absl::OkStatus();
}

// An arm that hangs would cost a time-out for each of its slices: where no error is allowed, the
// first ends the load.
bool RoundRunner::goes_on(const load::Edge& edge) const {
  if (cancellation_.raised()) return false;
  return edge.result == nullptr || edge.result->counts.failed() == 0 ||
         experiment_.workload().allowed_error_share() > 0;
}

absl::Status RoundRunner::warm_up(uint32_t set) {
  std::vector<load::SliceSpec> schedule;
  for (uint32_t block = 0; block < lengths_.warmup_blocks; ++block) {
    for (uint32_t arm : draw_.sets[set].blocks[block % lengths_.blocks_per_set]) {
      schedule.push_back({arms_[arm].load_index, lengths_.slice_ns});
    }
  }
  const load::RunResult result =
      generator_->run(schedule, [this](const load::Edge& edge) { return goes_on(edge); });
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  std::vector<hotlap::v1::ErrorCounts> counts(arms_.size());
  for (const auto& slice : result.slices) {
    generator_cpu_ns_ += slice.generator_cpu_ns;
    for (size_t arm = 0; arm < arms_.size(); ++arm) {
      if (arms_[arm].load_index == slice.arm) add_counts(slice.counts, counts[arm]);
    }
  }
  for (size_t arm = 0; arm < arms_.size(); ++arm) {
    arms_[arm].warmup_requests += counts[arm].ok();
    generator_->latency(arms_[arm].load_index);  // taken and dropped: it was not timed
    absl::Status status =
        check_errors(arm_name(arm), counts[arm], experiment_.workload().allowed_error_share());
    if (!status.ok()) return explain_errors(arm, status);
  }
  return absl::OkStatus();
}

void RoundRunner::begin_set(ArmState& arm) {
  arm.set_begin = arm.process->sample();
  if (arm.first_sample || !arm.set_begin) return;
  arm.first_sample = arm.set_begin;
  arm.rss_requests_begin = served(arm);
  arm.result.set_rss_begin_bytes(arm.set_begin->rss_bytes);
}

void RoundRunner::end_set(ArmState& arm, const EdgeReading& begin, const EdgeReading& end,
                          int64_t load_ns) {
  ArmRound& result = arm.result;
  result.set_load_ns(result.load_ns() + load_ns);
  add_set(begin, end, context_.counting->calls, context_.counting->events, result);
  if (counting_) arm.counted_whole &= arm.process->check_allocations().ok();
  arm.latency.merge(generator_->latency(arm.load_index));
  const auto now = arm.process->sample();
  if (!now || !arm.set_begin) return;
  add_sample(*arm.set_begin, *now, result);
  result.set_rss_end_bytes(now->rss_bytes);
  if (now->rss_peak_bytes > 0) result.set_rss_peak_bytes(now->rss_peak_bytes);
  result.set_rss_requests(served(arm) - arm.rss_requests_begin);
}

void RoundRunner::end_slice(const load::SliceResult& result, const EdgeReading& begin,
                            const EdgeReading& end, uint32_t set, uint32_t slice) {
  const auto per_block = static_cast<uint32_t>(arms_.size());
  const uint32_t arm = draw_.sets[set].blocks[slice / per_block][slice % per_block];
  auto* message = round_.add_slices();
  message->set_set(set);
  message->set_block(slice / per_block);
  message->set_position(slice % per_block);
  message->set_arm(arm);
  message->set_start_ns(result.start_ns - begin_ns_);
  message->set_duration_ns(result.duration_ns);
  add_counts(result.counts, *message->mutable_counts());
  message->set_generator_cpu_ns(result.generator_cpu_ns);
  ArmRound& sum = arms_[arm].result;
  add_counts(result.counts, *sum.mutable_counts());
  sum.set_reply_bytes(sum.reply_bytes() + result.bytes_received);
  sum.set_own_slices_ns(sum.own_slices_ns() + result.duration_ns);
  generator_cpu_ns_ += result.generator_cpu_ns;
  sum.set_generator_cpu_ns(sum.generator_cpu_ns() + result.generator_cpu_ns);
  if (begin.cpu_ns && end.cpu_ns) {
    message->set_server_cpu_ns(*end.cpu_ns - *begin.cpu_ns);
    sum.set_cpu_own_slices_ns(sum.cpu_own_slices_ns() + *end.cpu_ns - *begin.cpu_ns);
  }
  if (begin.syscalls && end.syscalls) message->set_syscalls(*end.syscalls - *begin.syscalls);
}

absl::Status RoundRunner::time_blocks(uint32_t set) {
  std::vector<load::SliceSpec> schedule;
  std::vector<uint32_t> arm_of_slice;
  for (const plan::Block& block : draw_.sets[set].blocks) {
    for (uint32_t arm : block) {
      schedule.push_back({arms_[arm].load_index, lengths_.slice_ns});
      arm_of_slice.push_back(arm);
    }
  }
  if (traced()) await_rest();
  for (ArmState& arm : arms_) arm.windows.emplace_back(arm.process->trace_time_ns(), 0);
  std::vector<EdgeReading> set_begin;
  for (ArmState& arm : arms_) begin_set(arm);
  for (const ArmState& arm : arms_) set_begin.push_back(read_set_edge(*arm.process, counting_));
  const int64_t load_begin_ns = monotonic_ns();
  EdgeReading slice_begin;
  // Read here and stored after the run, so that little stands between a reading and the load.
  std::vector<std::pair<EdgeReading, EdgeReading>> readings;
  readings.reserve(schedule.size());
  const load::RunResult result = generator_->run(schedule, [&](const load::Edge& edge) {
    const ArmState& arm = arms_[arm_of_slice[edge.slice]];
    if (edge.result == nullptr) {
      slice_begin = read_edge(*arm.process, counting_);
      return true;
    }
    readings.emplace_back(slice_begin, read_edge(*arm.process, counting_));
    return goes_on(edge);
  });
  const int64_t load_ns = monotonic_ns() - load_begin_ns;
  if (traced()) await_rest();
  for (ArmState& arm : arms_) arm.windows.back().second = arm.process->trace_time_ns();
  std::vector<EdgeReading> set_end;
  for (const ArmState& arm : arms_) set_end.push_back(read_set_edge(*arm.process, counting_));
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  for (uint32_t slice = 0; slice < result.slices.size() && slice < readings.size(); ++slice) {
    end_slice(result.slices[slice], readings[slice].first, readings[slice].second, set, slice);
  }
  for (size_t arm = 0; arm < arms_.size(); ++arm) {
    end_set(arms_[arm], set_begin[arm], set_end[arm], load_ns);
  }
  return check_arms();
}

// A traced target's calls belong to the window in which they are entered: at its edges no arm has
// anything left to do.
void RoundRunner::await_rest() const {
  for (const ArmState& arm : arms_) {
    capture::await_asleep([&arm] { return arm.process->process().tree(); }, kQuietPatience,
                          [this] { return !cancellation_.raised(); });
  }
}

absl::Status RoundRunner::add_traced_calls(ArmState& arm) const {
  const auto calls = arm.process->traced_calls(arm.windows);
  if (!calls.ok()) return calls.status();
  add_calls(*calls, context_.counting->calls, arm.result);
  return absl::OkStatus();
}

absl::Status RoundRunner::run_set(uint32_t set) {
  absl::Status status = open_connections(set);
  if (status.ok()) status = warm_up(set);
  if (status.ok()) status = time_blocks(set);
  for (const ArmState& arm : arms_) generator_->close(arm.load_index);
  return status;
}

OwnTimes RoundRunner::own_times() const {
  OwnTimes own{.arms_ns = 0, .generator_ns = generator_cpu_ns_};
  for (const ArmState& arm : arms_) {
    const auto now_ns = arm.process->cpu_ns();
    if (!now_ns || !arm.cpu_before_load_ns) return {std::nullopt, generator_cpu_ns_};
    *own.arms_ns += *now_ns - *arm.cpu_before_load_ns;
  }
  return own;
}

void RoundRunner::set_latency(ArmState& arm) const {
  *arm.result.mutable_latency() = latency_message(arm.latency);
  // Above a tenth of a slice its own edges would shape a quantile.
  const auto quantile_ns = [&](double q) {
    const auto value = arm.latency.supported_quantile_ns(q);
    return value && *value <= lengths_.slice_ns / 10 ? value : std::nullopt;
  };
  if (const auto p50 = quantile_ns(0.5)) arm.result.set_latency_p50_ns(*p50);
  if (const auto p90 = quantile_ns(0.9)) arm.result.set_latency_p90_ns(*p90);
  if (const auto p99 = quantile_ns(0.99)) arm.result.set_latency_p99_ns(*p99);
}

absl::StatusOr<Round> RoundRunner::run() {
  begin_ns_ = monotonic_ns();
  if (context_.measure_ballast && !counting_ && !events_ && !cost_) {
    auto step_ns = ballast_step_ns(context_.seat->placement().server_cpus);
    if (!step_ns.ok()) return step_ns.status();
    round_.set_ballast_step_ns(*step_ns);
  }
  // A hung target would keep launch and load waiting: a cancelled round ends its targets at once.
  Cancellation::Hook end_targets(cancellation_, [this] { context_.seat->spawner().end_all(); });
  absl::Status status = launch_all();
  if (status.ok()) status = start_load();
  if (!status.ok()) return status;
  const targets::Placement& placement = context_.seat->placement();
  const MachineTimes before = read_machine(placement);
  for (ArmState& arm : arms_) arm.cpu_before_load_ns = arm.process->cpu_ns();
  const int64_t load_begin_ns = monotonic_ns();
  for (uint32_t set = 0; set < lengths_.sets; ++set) {
    status = run_set(set);
    if (!status.ok()) return status;
  }
  round_.set_duration_ns(monotonic_ns() - load_begin_ns);
  // strace is a load of its own.
  if (!traced()) judge_environment(placement, before, read_machine(placement), own_times(), round_);
  // Load stops before servers do.
  generator_.reset();
  for (ArmState& arm : arms_) {
    arm.process->process().stop();
    if (traced()) status = add_traced_calls(arm);
    if (!status.ok()) return status;
    // A process that came after set-up and is not counted would make the rest too few.
    if (arm.result.has_allocations() && !arm.counted_whole) {
      arm.result.clear_allocations();
      arm.result.clear_allocated_bytes();
      arm.result.clear_frees();
    }
    set_latency(arm);
    *round_.add_arms() = std::move(arm.result);
  }
  return std::move(round_);
}

}  // namespace

absl::StatusOr<Round> run_round(const RoundContext& context, const std::string& pass,
                                uint32_t index, Cancellation& cancellation) {
  auto round = RoundRunner(context, pass, index, cancellation).run();
  // What a cancelled round failed of is that its targets were ended.
  if (cancellation.raised()) return absl::CancelledError("cancelled");
  return round;
}

}  // namespace hotlap::agent
