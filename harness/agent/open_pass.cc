// Launch all, then load one after the other; see open_pass.h.
#include "harness/agent/open_pass.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "harness/agent/disturbance.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/open_loop.h"
#include "harness/load/generator.h"
#include "harness/plan/schedule.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::OpenArm;
using hotlap::v1::OpenPass;
using hotlap::v1::OpenTimes;

constexpr absl::Duration kLastWords = absl::Milliseconds(500);
constexpr double kNsPerMs = 1e6;
constexpr double kNsPerS = 1e9;

OpenTimes times_message(const load::Histogram& times) {
  OpenTimes message;
  if (const auto ns = times.supported_quantile_ns(0.5)) message.set_p50_ns(*ns);
  if (const auto ns = times.supported_quantile_ns(0.9)) message.set_p90_ns(*ns);
  if (const auto ns = times.supported_quantile_ns(0.99)) message.set_p99_ns(*ns);
  if (const auto ns = times.supported_quantile_ns(0.999)) message.set_p999_ns(*ns);
  if (const auto ns = times.max_ns()) message.set_max_ns(*ns);
  return message;
}

class OpenPassRunner {
 public:
  OpenPassRunner(const RoundContext& context, uint32_t index, Cancellation& cancellation)
      : context_(context),
        experiment_(*context.experiment),
        cancellation_(cancellation),
        draw_(plan::draw_round(experiment_.seed(), "open", index,
                               static_cast<uint32_t>(experiment_.arms_size()), 1, 1)),
        processes_(static_cast<size_t>(experiment_.arms_size())) {
    pass_.set_index(index);
  }

  absl::StatusOr<OpenPass> run();

 private:
  absl::Status launch_all();
  absl::Status load_arm_alone(uint32_t arm);
  absl::Status load(uint32_t arm, load::Generator& generator, size_t load_index);
  absl::Status explain(uint32_t arm, const absl::Status& errors, load::Generator& generator,
                       size_t load_index);
  load::LoadPlan plan(double length_ns) const;
  void judge(const MachineTimes& before, const std::optional<int64_t>& cpu_before_ns,
             const load::LoadReport& report);
  std::optional<int64_t> arms_cpu_ns() const;
  std::string arm_name(uint32_t arm) const {
    return experiment_.arms(static_cast<int>(arm)).name();
  }

  const RoundContext& context_;
  const hotlap::v1::Experiment& experiment_;
  Cancellation& cancellation_;
  const plan::RoundDraw draw_;
  std::vector<std::unique_ptr<ArmProcess>> processes_;  // by arm
  OpenPass pass_;
};

absl::Status OpenPassRunner::launch_all() {
  for (const uint32_t arm : draw_.launch_order) {
    if (cancellation_.raised()) return absl::CancelledError("cancelled");
    const plan::ArmRoles& roles = draw_.roles[arm];
    targets::LaunchOptions options = context_.seat->launch_options(arm, roles.path_slot);
    options.padding_bytes = roles.padding_bytes;
    auto process =
        ArmProcess::launch(context_.seat->spawner(), experiment_.arms(static_cast<int>(arm)),
                           options, context_.cpu_source, {});
    if (!process.ok()) return process.status();
    processes_[arm] = *std::move(process);
  }
  return absl::OkStatus();
}

load::LoadPlan OpenPassRunner::plan(double length_ns) const {
  const auto& loop = experiment_.open_passes().loop();
  load::LoadPlan plan;
  plan.open = open_loop_of(loop, context_.replay.get());
  plan.duration_ns = open_loop_ns(loop, context_.replay.get(), std::llround(length_ns));
  // As long as a request may take: what is unanswered then has timed out.
  plan.drain_ns = int64_t{experiment_.workload().timeout_ms()} * 1'000'000;
  return plan;
}

absl::Status OpenPassRunner::load_arm_alone(uint32_t arm) {
  std::string error;
  auto generator =
      load::Generator::start(context_.seat->placement().load_cpus,
                             static_cast<int>(experiment_.workload().threads()), error);
  if (generator == nullptr) return absl::ResourceExhaustedError(error);
  Cancellation::Hook stop_load(cancellation_, [&generator] { generator->cancel(); });
  auto spec = load_arm(processes_[arm]->process(),
                       round_workload(experiment_, "open", pass_.index()), context_.replay);
  if (!spec.ok()) return spec.status();
  const size_t load_index = generator->add_arm(*std::move(spec));
  const load::Opened opened = generator->open(load_index);
  if (!opened.error.empty()) {
    return explain(
        arm, absl::FailedPreconditionError(absl::StrCat("arm ", arm_name(arm), ": ", opened.error)),
        *generator, load_index);
  }
  return load(arm, *generator, load_index);
}

absl::Status OpenPassRunner::explain(uint32_t arm, const absl::Status& errors,
                                     load::Generator& generator, size_t load_index) {
  processes_[arm]->process().await_end(kLastWords);
  absl::Status alive = processes_[arm]->process().status();
  if (!alive.ok()) return absl::FailedPreconditionError(std::string(alive.message()));
  const std::string first = generator.first_failure(load_index);
  if (first.empty()) return errors;
  return absl::FailedPreconditionError(
      absl::StrCat(std::string(errors.message()), "; the first: ", first));
}

absl::Status OpenPassRunner::load(uint32_t arm, load::Generator& generator, size_t load_index) {
  const double warmup_ns = experiment_.plan().warmup_ms() * kNsPerMs;
  if (warmup_ns > 0) generator.load(load_index, plan(warmup_ns), nullptr);
  const MachineTimes before = read_machine(context_.seat->placement());
  const auto cpu_before_ns = arms_cpu_ns();
  const load::LoadReport report =
      generator.load(load_index, plan(experiment_.open_passes().pass_s() * kNsPerS), nullptr);
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  judge(before, cpu_before_ns, report);
  OpenArm& result = *pass_.add_arms();
  result.set_arm(arm);
  add_counts(report.counts, *result.mutable_counts());
  const double sending_s = static_cast<double>(report.sending_ns) / kNsPerS;
  result.set_sending_s(sending_s);
  result.set_asked_per_s(experiment_.open_passes().loop().rate_per_s());
  if (sending_s > 0) result.set_sent_per_s(static_cast<double>(report.counts.sent()) / sending_s);
  if (report.pacing) *result.mutable_pacing() = pacing_message(*report.pacing);
  result.set_busiest_thread_share(report.busiest_thread_share);
  *result.mutable_response() = times_message(report.times.response);
  *result.mutable_service() = times_message(report.times.service);
  *result.mutable_response_latency() = latency_message(report.times.response);
  *result.mutable_service_latency() = latency_message(report.times.service);
  const absl::Status errors =
      check_errors(arm_name(arm), result.counts(), experiment_.workload().allowed_error_share());
  return errors.ok() ? errors : explain(arm, errors, generator, load_index);
}

// Void where any arm's load was disturbed: the arms then did not have the same machine.
void OpenPassRunner::judge(const MachineTimes& before, const std::optional<int64_t>& cpu_before_ns,
                           const load::LoadReport& report) {
  hotlap::v1::Round judged;
  judged.set_duration_ns(std::max<int64_t>(report.wall_ns, 1));
  OwnTimes own{.arms_ns = std::nullopt, .generator_ns = report.generator_cpu_ns};
  const auto cpu_ns = arms_cpu_ns();
  if (cpu_ns && cpu_before_ns) own.arms_ns = *cpu_ns - *cpu_before_ns;
  const targets::Placement& placement = context_.seat->placement();
  judge_environment(placement, before, read_machine(placement), own, judged);
  if (judged.has_steal_ns()) pass_.set_steal_ns(pass_.steal_ns() + judged.steal_ns());
  if (judged.has_void_cause() && !pass_.has_void_cause()) {
    pass_.set_void_cause(judged.void_cause());
  }
}

std::optional<int64_t> OpenPassRunner::arms_cpu_ns() const {
  int64_t sum = 0;
  for (const auto& process : processes_) {
    const auto own_ns = process->cpu_ns();
    if (!own_ns) return std::nullopt;
    sum += *own_ns;
  }
  return sum;
}

absl::StatusOr<OpenPass> OpenPassRunner::run() {
  Cancellation::Hook end_targets(cancellation_, [this] { context_.seat->spawner().end_all(); });
  absl::Status status = launch_all();
  for (const uint32_t arm : draw_.sets[0].connect_order) {
    if (status.ok()) status = load_arm_alone(arm);
  }
  if (!status.ok()) return status;
  for (const auto& process : processes_) process->process().stop();
  return std::move(pass_);
}

}  // namespace

absl::StatusOr<OpenPass> run_open_pass(const RoundContext& context, uint32_t index,
                                       Cancellation& cancellation) {
  auto pass = OpenPassRunner(context, index, cancellation).run();
  if (cancellation.raised()) return absl::CancelledError("cancelled");
  return pass;
}

}  // namespace hotlap::agent
