// The phases of a run; see controller.h.
#include "harness/cli/controller.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/agent/profile_settings.h"
#include "harness/agent/round_lengths.h"
#include "harness/cli/counting_cost.h"
#include "harness/cli/open_passes.h"
#include "harness/cli/profile_document.h"
#include "harness/cli/verdict_message.h"
#include "harness/plan/hodges_lehmann.h"
#include "harness/plan/interference.h"
#include "harness/plan/metric.h"
#include "harness/plan/void_rule.h"
#include "harness/record/file.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::Experiment;
using hotlap::v1::Plan;

// Eight rounds let an exact signed-rank test reach every plan's alpha (2/2^8 < 0.0221).
constexpr uint32_t kCountingRounds = 8;
constexpr uint32_t kCostRounds = 8;
constexpr size_t kMaxVerifyLinesShown = 5;

double now_s() { return absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()); }

absl::StatusOr<plan::Looks> looks_of(const Plan& plan) {
  switch (plan.kind()) {
    case Plan::CI:
      return plan::ci_looks();
    case Plan::FIXED:
      return plan::fixed_looks(plan.rounds());
    default:
      return plan::quick_looks();
  }
}

std::string plural(size_t n, const std::string& noun) {
  return absl::StrCat(n, " ", noun, n == 1 ? "" : "s");
}

}  // namespace

std::filesystem::path default_run_directory(const std::string& name) {
  const std::string stamp = absl::FormatTime("%Y%m%d-%H%M%S", absl::Now(), absl::UTCTimeZone());
  std::filesystem::path path = absl::StrCat("results/run-", stamp, "-", name);
  for (int i = 2; std::filesystem::exists(path); ++i) {
    path = absl::StrCat("results/run-", stamp, "-", name, "-", i);
  }
  return path;
}

absl::Status Controller::call_status(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (interrupt_.raised()) return absl::CancelledError("interrupted");
  const int patience_ms = status.error_code() == grpc::StatusCode::UNAVAILABLE ? 1000 : 0;
  const std::string end = agent_.end_description(patience_ms);
  if (!end.empty()) {
    return absl::UnavailableError(absl::StrCat("the agent ", end, " while it was at work"));
  }
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

absl::Status Controller::set_up(const Experiment& asked) {
  progress_.update("setting up: launching every arm once");
  hotlap::v1::DescribeResponse host;
  {
    grpc::ClientContext context;
    Interrupt::Call call(interrupt_, context);
    absl::Status status = call_status(agent_.stub().Describe(&context, {}, &host));
    if (!status.ok()) return status;
  }
  grpc::ClientContext context;
  Interrupt::Call call(interrupt_, context);
  hotlap::v1::SetupRequest request;
  *request.mutable_experiment() = asked;
  hotlap::v1::SetupResponse response;
  absl::Status status = call_status(agent_.stub().Setup(&context, request, &response));
  if (!status.ok()) return status;
  auto looks = looks_of(response.effective().plan());
  if (!looks.ok()) return looks.status();
  looks_ = *std::move(looks);
  auto metric = plan::find_metric(std::string_view(response.effective().primary_metric()));
  if (!metric.ok()) return metric.status();
  *run_.mutable_environment() = host.environment();
  *run_.mutable_effective() = response.effective();
  *run_.mutable_echoes() = response.echoes();
  *run_.mutable_notes() = response.notes();
  counted_ = response.counted();
  run_.set_syscall_source(response.syscall_source());
  *run_.mutable_environment()->mutable_server_cpus() =
      response.effective().placement().server_cpus();
  *run_.mutable_environment()->mutable_load_cpus() = response.effective().placement().load_cpus();
  auto* schedule = run_.mutable_schedule();
  schedule->set_plan(std::string(looks_.name));
  for (const plan::Look& look : looks_.looks) {
    schedule->add_looks(look.rounds);
    schedule->add_alphas(look.alpha);
  }
  return absl::OkStatus();
}

absl::Status Controller::verify() {
  if (run_.effective().skip_verify()) {
    run_.add_notes("the arms were not proved to answer alike (--no-verify)");
    return absl::OkStatus();
  }
  progress_.update("proving that the arms answer alike");
  grpc::ClientContext context;
  Interrupt::Call call(interrupt_, context);
  hotlap::v1::VerifyResponse response;
  absl::Status status = call_status(agent_.stub().Verify(&context, {}, &response));
  if (!status.ok()) return status;
  *run_.mutable_verify() = response.summary();
  if (response.summary().differences() == 0) return absl::OkStatus();
  std::vector<std::string> lines(response.summary().lines().begin(),
                                 response.summary().lines().end());
  if (lines.size() > kMaxVerifyLinesShown) lines.resize(kMaxVerifyLinesShown);
  return absl::FailedPreconditionError(absl::StrCat(
      "the arms do not answer alike: ", plural(response.summary().differences(), "difference"),
      " in ", plural(response.summary().cases(), "case"),
      " (--no-verify times them all the same)\n  ", absl::StrJoin(lines, "\n  ")));
}

absl::StatusOr<hotlap::v1::Round> Controller::take_round(const char* pass, uint32_t index) {
  if (interrupt_.raised()) return absl::CancelledError("interrupted");
  grpc::ClientContext context;
  Interrupt::Call call(interrupt_, context);
  hotlap::v1::RoundRequest request;
  request.set_index(index);
  request.set_pass(pass);
  hotlap::v1::RoundResponse response;
  absl::Status status = call_status(agent_.stub().RunRound(&context, request, &response));
  if (!status.ok()) return status;
  return std::move(*response.mutable_round());
}

absl::Status Controller::run_round(const char* pass, uint32_t index) {
  auto round = take_round(pass, index);
  if (!round.ok()) return round.status();
  absl::Status status = directory_->append(*round);
  if (!status.ok()) return status;
  log_.add(*std::move(round));
  return absl::OkStatus();
}

absl::StatusOr<plan::Decision> Controller::decide() const {
  auto metric = plan::find_metric(std::string_view(run_.effective().primary_metric()));
  if (!metric.ok()) return metric.status();
  const double margin = run_.effective().margin_percent() / 100;  // the primary metric's
  const uint32_t rounds = log_.kept(agent::kTimingPass);
  std::vector<plan::Evidence> evidence;
  for (int arm = 1; arm < run_.effective().arms_size(); ++arm) {
    auto one = log_.primary_evidence(*metric, static_cast<uint32_t>(arm), margin,
                                     looks_.next(rounds).alpha);
    if (!one.ok()) return one.status();
    evidence.push_back(*std::move(one));
  }
  return plan::decide(looks_, evidence);
}

std::string Controller::running_estimate() const {
  auto metric = plan::find_metric(std::string_view(run_.effective().primary_metric()));
  if (!metric.ok()) return "";
  const plan::Evidence evidence =
      log_.evidence(*metric, 1, run_.effective().margin_percent() / 100);
  std::vector<double> differences;
  for (const auto& values : evidence.rounds) {
    if (values.a && values.b && *values.a > 0 && *values.b > 0) {
      differences.push_back(std::log(*values.b / *values.a));
    }
  }
  if (differences.empty()) return "";
  const double estimate = plan::percent(plan::hodges_lehmann(differences));
  const auto interval = plan::hodges_lehmann_interval(
      differences, looks_.next(static_cast<uint32_t>(differences.size())).alpha);
  if (!interval) return absl::StrFormat(", B/A %+.2f %%", estimate);
  return absl::StrFormat(", B/A %+.2f %% (%+.2f … %+.2f)", estimate, plan::percent(interval->low),
                         plan::percent(interval->high));
}

void Controller::show_round(uint32_t rounds) const {
  const double spent_s = now_s() - timing_begin_s_;
  const uint32_t next = looks_.next(rounds).rounds;
  std::string line = absl::StrFormat("round %u of %u", rounds, looks_.max_rounds());
  if (rounds > 0 && next >= rounds) {
    const double eta_s = spent_s / rounds * (next - rounds);
    const bool last = next == looks_.max_rounds();
    absl::StrAppend(&line, last ? ", end in " : ", next look in ", duration_text(eta_s));
  }
  const uint32_t voided = log_.voided();
  if (voided > 0) absl::StrAppend(&line, ", ", voided, " void");
  progress_.update(absl::StrCat(line, running_estimate()));
}

// A look counts rounds with a value of the primary metric: where there are none, no round is the
// last.
absl::Status Controller::check_primary() const {
  auto metric = plan::find_metric(std::string_view(run_.effective().primary_metric()));
  if (!metric.ok()) return metric.status();
  const uint32_t kept = log_.kept(agent::kTimingPass);
  for (int arm = 1; arm < run_.effective().arms_size(); ++arm) {
    uint32_t with_value = 0;
    for (const auto& values : log_.evidence(*metric, static_cast<uint32_t>(arm), 0).rounds) {
      with_value += values.a && values.b ? 1 : 0;
    }
    // A round without a value is made up for by another, but not without end.
    if (with_value > 0 && kept < 2 * looks_.max_rounds()) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "the primary metric ", run_.effective().primary_metric(), " has a value of both arms in ",
        with_value, " of ", plural(kept, "round"),
        ": choose another --metric (latencies need requests enough, and times below a tenth of a "
        "slice; cgroup_cpu_per_request an arm with a cgroup)"));
  }
  return absl::OkStatus();
}

absl::Status Controller::timing_pass() {
  timing_begin_s_ = now_s();
  const uint32_t max_voids = plan::max_void_rounds(looks_.max_rounds());
  for (uint32_t index = 0; !decision_.stop; ++index) {
    const uint32_t before = log_.kept(agent::kTimingPass);
    show_round(before);
    absl::Status status = run_round(agent::kTimingPass, index);
    if (!status.ok()) return status;
    run_.set_elapsed_s(now_s() - begin_s_);
    if (log_.voided() > max_voids) {
      return absl::AbortedError(absl::StrCat(
          plural(log_.voided(), "round"), " of ", index + 1,
          " are void (the last: ", log_.rounds().back().void_cause(),
          "): this machine is too disturbed to measure on now; `hotlap doctor` tells more"));
    }
    if (log_.kept(agent::kTimingPass) == before) continue;  // void: neither a round nor a look
    status = check_primary();
    if (!status.ok()) return status;
    auto decision = decide();
    if (!decision.ok()) return decision.status();
    decision_ = *std::move(decision);
  }
  auto* schedule = run_.mutable_schedule();
  schedule->set_stopped(decision_.reason);
  schedule->set_alpha(decision_.alpha);
  return absl::OkStatus();
}

absl::Status Controller::count(const char* pass, const char* what) {
  for (uint32_t index = 0; index < kCountingRounds; ++index) {
    progress_.update(
        absl::StrFormat("counting %s, round %u of %u", what, index + 1, kCountingRounds));
    absl::Status status = run_round(pass, index);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Controller::counting_passes() {
  absl::Status status;
  if (!run_.effective().skip_counting()) status = count(agent::kCountingPass, "system calls");
  if (!status.ok() || run_.effective().counters_size() == 0) return status;
  run_.add_notes(absl::StrCat("perf events are counted at ",
                              plural(run_.effective().workload().connections(), "connection"),
                              ", as the rounds are timed; system calls and allocations at one"));
  return count(agent::kEventsPass, "perf events");
}

absl::StatusOr<hotlap::v1::OpenPass> Controller::run_open_pass(uint32_t index) {
  if (interrupt_.raised()) return absl::CancelledError("interrupted");
  grpc::ClientContext context;
  Interrupt::Call call(interrupt_, context);
  hotlap::v1::OpenPassRequest request;
  request.set_index(index);
  hotlap::v1::OpenPassResponse response;
  absl::Status status = call_status(agent_.stub().RunOpenPass(&context, request, &response));
  if (status.ok()) status = directory_->append(response.pass());
  if (!status.ok()) return status;
  return std::move(*response.mutable_pass());
}

// A void pass is made again, but no more than as many times as there are to be.
absl::Status Controller::open_passes() {
  if (!run_.effective().has_open_passes()) return absl::OkStatus();
  const auto& asked = run_.effective().open_passes();
  uint32_t kept = 0;
  for (uint32_t index = 0; kept < asked.passes() && index < 2 * asked.passes(); ++index) {
    progress_.update(absl::StrFormat("open loop at %g/s, pass %u of %u: %.3g s of each arm",
                                     asked.loop().rate_per_s(), kept + 1, asked.passes(),
                                     asked.pass_s()));
    auto pass = run_open_pass(index);
    if (!pass.ok()) return pass.status();
    kept += pass->has_void_cause() ? 0 : 1;
    for (auto& arm : *pass->mutable_arms()) {
      arm.clear_response_latency();  // latency.csv has them
      arm.clear_service_latency();
    }
    *run_.add_open_passes() = *std::move(pass);
    absl::Status status = directory_->write_run(run_);
    if (!status.ok()) return status;
  }
  for (std::string& note : open_pass_notes(run_)) run_.add_notes(std::move(note));
  for (auto& comparison : compare_open_passes(run_)) {
    *run_.add_open_comparisons() = std::move(comparison);
  }
  return absl::OkStatus();
}

absl::Status Controller::cost_pass() {
  if (run_.effective().skip_counting() || counted_.empty()) return absl::OkStatus();
  CountingCost cost;
  for (uint32_t index = 0; index < kCostRounds; ++index) {
    progress_.update(
        absl::StrFormat("measuring what counting costs, round %u of %u", index + 1, kCostRounds));
    auto round = take_round(agent::kCostPass, index);
    if (!round.ok()) return round.status();
    cost.add(*round);
  }
  *run_.mutable_counting_cost() = cost.message();
  run_.mutable_counting_cost()->set_what(counted_);
  return record::replace_file(directory_->path() / "counting_cost.csv", cost.csv());
}

absl::Status Controller::judge(bool at_look) {
  const uint32_t rounds = log_.kept(agent::kTimingPass);
  const double alpha = decision_.stop ? decision_.alpha : looks_.next(rounds).alpha;
  const double run_margin = run_.effective().margin_percent() / 100;
  const auto primary_metric = plan::find_metric(run_.effective().primary_metric());
  if (!primary_metric.ok()) return primary_metric.status();
  run_.mutable_schedule()->set_alpha(alpha);
  run_.clear_verdicts();
  std::vector<std::string> names;
  for (const std::string& event : run_.effective().counters()) {
    names.push_back(std::string(plan::kEventPrefix) + event);
  }
  std::vector<plan::Metric> metrics(plan::metrics().begin(), plan::metrics().end());
  for (const std::string& name : names) metrics.push_back(plan::event_metric(name));
  for (int arm = 1; arm < run_.effective().arms_size(); ++arm) {
    std::vector<plan::Evidence> evidence;
    for (const plan::Metric& metric : metrics) {
      const bool primary = metric.name == run_.effective().primary_metric();
      const double margin = plan::margin_in_run(metric, *primary_metric, run_margin);
      plan::Evidence one = log_.evidence(metric, static_cast<uint32_t>(arm), margin);
      if (primary) {
        auto whole = log_.primary_evidence(metric, static_cast<uint32_t>(arm), margin, alpha);
        if (!whole.ok()) return whole.status();
        one = *std::move(whole);
        one.leans = decision_.leans;
      }
      if (one.rounds.empty() && !primary) continue;  // absent: the notes say why
      one.alpha = alpha;
      one.at_look = at_look;
      evidence.push_back(std::move(one));
    }
    auto verdicts = plan::judge_together(evidence);
    if (!verdicts.ok()) return verdicts.status();
    for (const plan::Verdict& verdict : *verdicts) {
      *run_.add_verdicts() = verdict_message(verdict, run_.effective().arms(arm).name());
    }
  }
  return absl::OkStatus();
}

absl::Status Controller::profile_pass() {
  if (!run_.effective().has_profile_pass()) return absl::OkStatus();
  // Whatever becomes of the profile, the verdicts are kept.
  absl::Status kept = directory_->write_run(run_);
  if (!kept.ok()) return kept;
  const hotlap::v1::ProfileRequest request =
      agent::profile_request(run_.effective(), most_different_arm(run_));
  auto profile = take_profile(request, agent_, interrupt_, progress_);
  if (absl::IsCancelled(profile.status())) {
    run_.add_notes("no profile: interrupted, once the rounds were judged");
    return profile.status();
  }
  if (absl::IsUnavailable(profile.status())) {
    return call_status({grpc::StatusCode::UNAVAILABLE, std::string(profile.status().message())});
  }
  if (!profile.ok()) {
    run_.add_notes(no_profile_note(profile.status()));
    return absl::OkStatus();
  }
  for (std::string& note : profile_notes(*profile, run_.effective())) {
    run_.add_notes(std::move(note));
  }
  profile->set_command(run_.command());
  *profile->mutable_environment() = run_.environment();
  auto json = profile_json(*profile);
  if (!json.ok()) return json.status();
  absl::Status written = write_profile(*profile, *json, directory_->path());
  if (written.ok()) profile_ = *std::move(profile);
  return written;
}

void Controller::conclude(const absl::Status& status) {
  run_.set_elapsed_s(now_s() - begin_s_);
  auto* schedule = run_.mutable_schedule();
  schedule->set_rounds(log_.kept(agent::kTimingPass));
  schedule->set_void_rounds(log_.voided());
  const auto arms = static_cast<uint32_t>(run_.effective().arms_size());
  for (uint32_t arm = 0; arm < arms; ++arm) {
    const auto share = log_.outside_share(arm);
    if (share && *share > plan::kMaxOutsideShare) {
      run_.add_notes(
          absl::StrFormat("interference: arm %s spent %.1f %% of its CPU outside its own slices",
                          run_.effective().arms(static_cast<int>(arm)).name(), *share * 100));
    }
  }
  if (const auto age = log_.age(); age && run_.effective().workload().keep_alive()) {
    run_.add_notes(absl::StrFormat(
        "age: a connection served about %.0f requests within %.2f s; what shows later in a "
        "connection's life was not measured",
        age->requests / run_.effective().workload().connections(), age->seconds));
  }
  const auto invalid =
      plan::run_invalid(log_.kept(agent::kTimingPass), log_.voided(), log_.voids_by_arm(arms));
  if (invalid && !status.ok()) run_.add_notes(absl::StrCat("invalid: ", *invalid));
  if (status.ok()) {
    run_.set_state("complete");
    if (invalid) {
      run_.set_state("failed");
      run_.set_failure(*invalid);
    }
  } else if (absl::IsCancelled(status)) {
    run_.set_state("interrupted");
    schedule->set_stopped("interrupted");
  } else {
    run_.set_state("failed");
    run_.set_failure(std::string(status.message()));
    schedule->set_stopped("failed");
  }
}

RunOutcome Controller::run(const Experiment& asked, const std::filesystem::path& out,
                           const std::string& command) {
  begin_s_ = now_s();
  run_.set_schema_version(record::kSchemaVersion);
  run_.set_name(asked.name());
  run_.set_state("running");
  run_.set_created(absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone()));
  run_.set_command(command);
  run_.set_calibration("uncalibrated");
  *run_.mutable_asked() = asked;

  absl::Status status = set_up(asked);
  if (!status.ok()) return {run_, "", status};
  std::vector<std::string> names;
  for (const auto& arm : run_.effective().arms()) names.push_back(arm.name());
  const auto& counters = run_.effective().counters();
  auto directory = record::RunDirectory::create(out, names, {counters.begin(), counters.end()});
  if (!directory.ok()) return {run_, "", directory.status()};
  directory_ = std::make_unique<record::RunDirectory>(*std::move(directory));
  status = directory_->write_run(run_);
  if (status.ok()) status = verify();
  if (status.ok()) status = directory_->write_run(run_);
  if (status.ok()) status = timing_pass();
  if (status.ok()) status = counting_passes();
  if (status.ok()) status = cost_pass();
  if (status.ok()) status = open_passes();
  progress_.clear();
  const bool concluded = decision_.stop;
  if (log_.kept(agent::kTimingPass) > 0) {
    const absl::Status judged = judge(concluded);
    if (status.ok()) status = judged;
  }
  if (status.ok()) status = profile_pass();
  progress_.clear();
  conclude(status);
  if (status.ok() && run_.state() == "failed") status = absl::AbortedError(run_.failure());
  const absl::Status written = directory_->write_run(run_);
  if (status.ok()) status = written;
  return {run_, directory_->path(), status, std::move(profile_)};
}

}  // namespace hotlap::cli
