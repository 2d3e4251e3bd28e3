// Defaults and their checks; see effective.h.
#include "harness/agent/effective.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/agent/arm_environment.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/profile_settings.h"
#include "harness/load/request_template.h"
#include "harness/plan/metric.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::Experiment;
using hotlap::v1::Plan;
using hotlap::v1::Target;
using hotlap::v1::Workload;

constexpr uint32_t kMaxArms = 16;
constexpr uint32_t kMaxConnections = 20000;
constexpr uint32_t kMaxThreads = 256;
constexpr uint32_t kMaxPipeline = 1024;
constexpr uint32_t kMaxWeight = 1000;
constexpr uint64_t kMaxBodyBytes = uint64_t{1} << 30;
constexpr size_t kSha256Bytes = 32;
constexpr uint32_t kMaxRounds = 100000;
constexpr double kMaxPhaseMs = 600000;
constexpr double kDefaultBadShare = 0.01;
constexpr uint32_t kMaxPasses = 1000;
constexpr double kMaxPassS = 3600;
constexpr int kMaxCounters = 32;

// What the command line calls a field, where it has a flag for it.
struct FlagOfField {
  const char* field;
  const char* flag;
};
constexpr FlagOfField kFlags[] = {
    {"allowed_bad_share", "--allow-bad-lines"},
    {"allowed_error_share", "--allow-errors"},
    {"connections", "--connections"},
    {"expected_status", "--expect-status"},
    {"generated_body_bytes", "--body-size"},
    {"margin_percent", "--margin"},
    {"pass_s", "--pass-s"},
    {"passes", "--passes"},
    {"pipeline", "--pipeline"},
    {"set_ms", "--set-ms"},
    {"sets", "--sets"},
    {"slice_ms", "--slice-ms"},
    {"threads", "--threads"},
    {"timeout_ms", "--timeout-ms"},
    {"warmup_ms", "--warmup-ms"},
    {"weight", "--weights"},
};

absl::Status out_of_range(const std::string& field, double value, const std::string& range) {
  const auto* const named = std::find_if(std::begin(kFlags), std::end(kFlags),
                                         [&](const auto& known) { return field == known.field; });
  const std::string flag = named != std::end(kFlags) ? absl::StrCat(" (", named->flag, ")") : "";
  return absl::InvalidArgumentError(
      absl::StrFormat("%s%s is %.15g; it must be %s", field, flag, value, range));
}

absl::Status check_name(const std::string& what, const std::string& name) {
  const bool sound =
      !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
      });
  if (sound) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " \"", name, "\" may have 1 to 64 letters, digits, '_', '-' and '.'"));
}

absl::Status check_arms(const Experiment& experiment) {
  if (experiment.arms_size() < 2 || experiment.arms_size() > static_cast<int>(kMaxArms)) {
    return absl::InvalidArgumentError(absl::StrCat("an experiment compares 2 to ", kMaxArms,
                                                   " arms; this one has ", experiment.arms_size()));
  }
  std::set<std::string> names;
  std::set<std::string> cgroups;
  for (const auto& arm : experiment.arms()) {
    absl::Status status = check_name("arm name", arm.name());
    if (!status.ok()) return status;
    if (!names.insert(arm.name()).second) {
      return absl::InvalidArgumentError(absl::StrCat("two arms are named \"", arm.name(), "\""));
    }
    if (arm.target().kind_case() == Target::KIND_NOT_SET) {
      return absl::InvalidArgumentError(absl::StrCat(
          "arm ", arm.name(), " has no target: give it pipeline, server, command or url"));
    }
    status = check_environment(arm);
    if (!status.ok()) return status;
    if (!arm.cgroup().empty() && !cgroups.insert(arm.cgroup()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("arm ", arm.name(), ": the cgroup ", arm.cgroup(),
                       " is another arm's too, and could not tell them apart: one each"));
    }
  }
  return absl::OkStatus();
}

absl::Status check_header(const hotlap::v1::Header& header) {
  const auto breaks_line = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  if (header.name().empty() ||
      std::any_of(header.name().begin(), header.name().end(),
                  [&](char c) { return breaks_line(c) || c == ':' || c == ' '; }) ||
      std::any_of(header.value().begin(), header.value().end(), breaks_line)) {
    return absl::InvalidArgumentError(absl::StrCat("header \"", absl::CHexEscape(header.name()),
                                                   ": ", absl::CHexEscape(header.value()),
                                                   "\" cannot be sent as one line"));
  }
  return absl::OkStatus();
}

absl::Status fill_requests(Workload& workload) {
  if (workload.requests().empty()) workload.add_requests()->set_target("/hello");
  for (auto& request : *workload.mutable_requests()) {
    if (request.method().empty()) request.set_method("GET");
    if (request.target().empty()) request.set_target("/");
    if (!request.has_expected_status()) request.set_expected_status(200);
    if (!request.has_weight()) request.set_weight(1);
    if (request.weight() < 1 || request.weight() > kMaxWeight) {
      return out_of_range("weight", request.weight(), absl::StrCat("1 to ", kMaxWeight));
    }
    const auto bad = [](char c) { return absl::ascii_iscntrl(c) || c == ' '; };
    if (std::any_of(request.target().begin(), request.target().end(), bad) ||
        std::any_of(request.method().begin(), request.method().end(), bad)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "request \"", absl::CHexEscape(request.method()), " ", absl::CHexEscape(request.target()),
          "\" has a space or a control character: encode it"));
    }
    if (request.expected_status() < 200 || request.expected_status() > 599) {
      return out_of_range("expected_status", request.expected_status(), "200 to 599");
    }
    if (request.generated_body_bytes() > kMaxBodyBytes) {
      return out_of_range("generated_body_bytes",
                          static_cast<double>(request.generated_body_bytes()),
                          absl::StrCat("at most ", kMaxBodyBytes));
    }
    if (!request.body().empty() && request.generated_body_bytes() > 0) {
      return absl::InvalidArgumentError(
          "a request has either a body or generated_body_bytes, not both");
    }
    if (!request.expected_sha256().empty() && request.expected_sha256().size() != kSha256Bytes) {
      return out_of_range("the length of expected_sha256",
                          static_cast<double>(request.expected_sha256().size()), "32 bytes");
    }
    if (!request.expected_sha256().empty() && (request.any_body() || request.has_expected_body())) {
      return absl::InvalidArgumentError(
          "expected_sha256 stands for a body: neither any_body nor expected_body goes with it");
    }
    for (const auto& header : request.headers()) {
      absl::Status status = check_header(header);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status check_ids(const Workload& workload) {
  bool placed = false;
  for (const auto& request : workload.requests()) {
    load::RequestSpec spec;
    spec.target = request.target();
    spec.body = request.body();
    for (const auto& header : request.headers()) spec.headers.emplace_back("", header.value());
    placed = placed || load::has_place(spec);
    if (!workload.has_ids() && request.target().find(load::kPlaceOfId) != std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("the target ", request.target(),
                       " has a place for an id, and no ids are given (--ids seq:1..1000)"));
    }
  }
  if (!workload.has_ids()) return absl::OkStatus();
  const std::string fault = ids_of(workload.ids()).fault();
  if (!fault.empty()) return absl::InvalidArgumentError(absl::StrCat("ids: ", fault));
  if (placed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "ids are given, and no request has a place for them: write {id} into a target, a header or "
      "a body");
}

// A log says what to ask: requests may add headers to that, and nothing else.
absl::Status fill_replay(Workload& workload) {
  auto& replay = *workload.mutable_replay();
  if (!absl::StartsWith(replay.path(), "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat("replay.path \"", replay.path(), "\" must be absolute"));
  }
  if (workload.has_ids()) {
    return absl::InvalidArgumentError("a replayed log has its own targets: leave out the ids");
  }
  if (workload.requests_size() > 1 || !workload.requests(0).body().empty()) {
    return absl::InvalidArgumentError(
        "a replayed log has its own requests: one may be given, for its headers, without a body");
  }
  if (!replay.has_allowed_bad_share()) replay.set_allowed_bad_share(kDefaultBadShare);
  if (!(replay.allowed_bad_share() >= 0 && replay.allowed_bad_share() <= 1)) {
    return out_of_range("allowed_bad_share", replay.allowed_bad_share(), "0 to 1");
  }
  return absl::OkStatus();
}

absl::Status fill_open_passes(Experiment& experiment) {
  if (!experiment.has_open_passes()) return absl::OkStatus();
  auto& passes = *experiment.mutable_open_passes();
  if (!passes.has_passes()) passes.set_passes(2);
  if (!passes.has_pass_s()) passes.set_pass_s(5);
  if (passes.passes() < 1 || passes.passes() > kMaxPasses) {
    return out_of_range("passes", passes.passes(), absl::StrCat("1 to ", kMaxPasses));
  }
  if (!(passes.pass_s() >= 0.1 && passes.pass_s() <= kMaxPassS)) {
    return out_of_range("pass_s", passes.pass_s(), absl::StrCat("0.1 to ", kMaxPassS));
  }
  // Every draw of a run follows from its seed.
  if (!passes.loop().has_seed() && passes.loop().arrivals() == hotlap::v1::OpenLoop::POISSON) {
    passes.mutable_loop()->set_seed(experiment.seed());
  }
  return absl::OkStatus();
}

absl::Status check_counters(const Experiment& experiment) {
  std::set<std::string> seen;
  for (const std::string& event : experiment.counters()) {
    const bool plain = !event.empty() && event.find_first_of(" \",\t\r\n") == std::string::npos;
    if (!plain || !seen.insert(event).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--counters \"", event, "\": ", plain ? "is there twice" : "is no name of an event"));
    }
  }
  if (experiment.counters_size() > kMaxCounters) {
    return out_of_range("the number of names in --counters", experiment.counters_size(),
                        absl::StrCat("0 to ", kMaxCounters));
  }
  if (experiment.counters_size() == 0 || !experiment.skip_counting()) return absl::OkStatus();
  return absl::InvalidArgumentError("--counters needs the counting that --no-counting leaves out");
}

absl::Status fill_profile_pass(Experiment& experiment) {
  if (!experiment.has_profile_pass()) return absl::OkStatus();
  auto& pass = *experiment.mutable_profile_pass();
  if (!pass.has_duration_s()) pass.set_duration_s(kDefaultProfileS);
  for (int arm = 1; arm < experiment.arms_size(); ++arm) {
    auto settings = settle_profile(profile_request(experiment, arm));
    if (!settings.ok()) return settings.status();
  }
  return absl::OkStatus();
}

absl::Status fill_plan(Plan& plan, uint32_t connections) {
  if (plan.kind() == Plan::FIXED) {
    if (plan.rounds() < 1 || plan.rounds() > kMaxRounds) {
      return out_of_range("rounds of a fixed plan", plan.rounds(),
                          absl::StrCat("1 to ", kMaxRounds, " (--plan fixed:24)"));
    }
  } else if (plan.rounds() != 0) {
    return absl::InvalidArgumentError(
        "plan.rounds belongs to a FIXED plan; quick and ci have looks of their own");
  }
  if (!plan.has_slice_ms()) plan.set_slice_ms(default_slice_ms(connections));
  if (!plan.has_sets()) plan.set_sets(4);
  if (!plan.has_set_ms()) plan.set_set_ms(200);
  if (!plan.has_warmup_ms()) plan.set_warmup_ms(100);
  if (!(plan.slice_ms() >= 0.1 && plan.slice_ms() <= 10000)) {
    return out_of_range("slice_ms", plan.slice_ms(), "0.1 to 10000");
  }
  if (plan.sets() < 1 || plan.sets() > 64) return out_of_range("sets", plan.sets(), "1 to 64");
  if (!(plan.set_ms() >= 1 && plan.set_ms() <= kMaxPhaseMs)) {
    return out_of_range("set_ms", plan.set_ms(), "1 to 600000");
  }
  if (!(plan.warmup_ms() >= 0 && plan.warmup_ms() <= kMaxPhaseMs)) {
    return out_of_range("warmup_ms", plan.warmup_ms(), "0 to 600000");
  }
  return absl::OkStatus();
}

}  // namespace

double default_slice_ms(uint32_t connections) {
  return std::max(5.0, 5.0 * static_cast<double>(connections) / 16.0);
}

absl::StatusOr<Workload> effective_workload(const Workload& asked) {
  Workload workload = asked;
  absl::Status status = fill_requests(workload);
  if (status.ok()) status = check_ids(workload);
  if (status.ok() && workload.has_replay()) status = fill_replay(workload);
  if (!status.ok()) return status;
  if (!workload.has_connections()) workload.set_connections(16);
  if (!workload.has_threads()) workload.set_threads(1);
  if (!workload.has_keep_alive()) workload.set_keep_alive(true);
  if (!workload.has_timeout_ms()) workload.set_timeout_ms(5000);
  if (!workload.has_allowed_error_share()) workload.set_allowed_error_share(0);
  if (workload.connections() < 1 || workload.connections() > kMaxConnections) {
    return out_of_range("connections", workload.connections(),
                        absl::StrCat("1 to ", kMaxConnections));
  }
  if (workload.threads() < 1 || workload.threads() > kMaxThreads) {
    return out_of_range("threads", workload.threads(), absl::StrCat("1 to ", kMaxThreads));
  }
  if (workload.threads() > workload.connections()) {
    return absl::InvalidArgumentError(
        absl::StrCat(workload.threads(), " load threads for ", workload.connections(),
                     " connections would leave threads idle: give at most a thread a connection"));
  }
  if (!workload.has_pipeline()) workload.set_pipeline(1);
  if (workload.pipeline() < 1 || workload.pipeline() > kMaxPipeline) {
    return out_of_range("pipeline", workload.pipeline(), absl::StrCat("1 to ", kMaxPipeline));
  }
  if (workload.pipeline() > 1 && !workload.keep_alive()) {
    return absl::InvalidArgumentError(
        absl::StrCat("pipeline ", workload.pipeline(),
                     " needs connections that are kept: leave out either --pipeline or --close"));
  }
  if (workload.timeout_ms() < 1) return out_of_range("timeout_ms", 0, "1 or more");
  if (!(workload.allowed_error_share() >= 0 && workload.allowed_error_share() < 1)) {
    return out_of_range("allowed_error_share", workload.allowed_error_share(),
                        "0 or more and below 1");
  }
  return workload;
}

absl::StatusOr<Experiment> effective_experiment(const Experiment& asked) {
  Experiment experiment = asked;
  if (experiment.name().empty()) experiment.set_name("ab");
  absl::Status status = check_name("experiment name", experiment.name());
  if (status.ok()) status = check_arms(experiment);
  if (!status.ok()) return status;
  auto workload = effective_workload(asked.workload());
  if (!workload.ok()) return workload.status();
  *experiment.mutable_workload() = *std::move(workload);
  status = fill_plan(*experiment.mutable_plan(), experiment.workload().connections());
  if (!status.ok()) return status;
  if (!experiment.has_seed()) experiment.set_seed(std::random_device()());
  if (experiment.workload().has_ids() && !experiment.workload().ids().has_seed()) {
    experiment.mutable_workload()->mutable_ids()->set_seed(experiment.seed());
  }
  status = fill_open_passes(experiment);
  if (status.ok()) status = fill_profile_pass(experiment);
  if (status.ok()) status = check_counters(experiment);
  if (!status.ok()) return status;
  if (experiment.primary_metric().empty()) experiment.set_primary_metric("cpu_per_request");
  const auto primary = plan::find_metric(experiment.primary_metric());
  if (!primary.ok()) return primary.status();
  if (primary->pass != plan::Pass::kTiming) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--metric ", experiment.primary_metric(),
        " is counted in a pass of its own, and rounds are of what is timed: leave --metric out, "
        "and its verdict stands beside that of ",
        std::string(plan::kPrimaryMetric)));
  }
  if (!experiment.has_margin_percent()) experiment.set_margin_percent(primary->margin_ratio * 100);
  if (!(experiment.margin_percent() > 0 && experiment.margin_percent() < 100)) {
    return out_of_range("margin_percent", experiment.margin_percent(), "above 0 and below 100");
  }
  return experiment;
}

}  // namespace hotlap::agent
