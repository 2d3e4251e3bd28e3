// See profile_settings.h.
#include "harness/agent/profile_settings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "harness/agent/arm_process.h"
#include "harness/profile/perf_record.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::ProfileRequest;

constexpr double kMinDurationS = 0.1;
constexpr double kMaxDurationS = 600;
constexpr uint32_t kDefaultFrequencyHz = 4999;  // no divisor of the usual timers' rates
constexpr int64_t kUsualTurnNs = 100'000'000;
constexpr int64_t kFewTurns = 10;
constexpr int64_t kManyTurns = 200;

absl::Status check_arms(const ProfileRequest& request) {
  if (request.arms_size() < 1 || request.arms_size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(request.arms_size(), " arms: a profile is of one target or of two"));
  }
  for (const auto& arm : request.arms()) {
    if (!arm.target().has_url()) continue;
    return of_arm(arm.name(),
                  absl::InvalidArgumentError("a url target has no process here that could be "
                                             "sampled: give it as a cmd: target"));
  }
  return absl::OkStatus();
}

}  // namespace

TurnPlan plan_turns(int64_t duration_ns) {
  const int64_t usual = (duration_ns + kUsualTurnNs / 2) / kUsualTurnNs;
  const int64_t turns = std::clamp(usual, kFewTurns, kManyTurns);
  return {static_cast<uint32_t>(turns), duration_ns / turns};
}

ProfileRequest profile_request(const hotlap::v1::Experiment& experiment, int arm) {
  ProfileRequest request;
  *request.add_arms() = experiment.arms(0);
  *request.add_arms() = experiment.arms(arm);
  *request.mutable_workload() = experiment.workload();
  *request.mutable_placement() = experiment.placement();
  const auto& pass = experiment.profile_pass();
  if (pass.has_duration_s()) request.set_duration_s(pass.duration_s());
  request.set_off_cpu(pass.off_cpu());
  request.set_heap(pass.heap());
  return request;
}

absl::StatusOr<ProfileSettings> settle_profile(const ProfileRequest& request) {
  absl::Status arms = check_arms(request);
  if (!arms.ok()) return arms;
  ProfileSettings settings;
  const double duration_s = request.has_duration_s() ? request.duration_s() : kDefaultProfileS;
  if (!(duration_s >= kMinDurationS && duration_s <= kMaxDurationS)) {
    return absl::InvalidArgumentError(absl::StrCat("a duration of ", duration_s, " s: it takes ",
                                                   kMinDurationS, " to ", kMaxDurationS));
  }
  settings.turns = plan_turns(std::llround(duration_s * 1e9));
  if (request.off_cpu()) settings.views.push_back(ProfileView::kOffCpu);
  if (request.heap()) settings.views.push_back(ProfileView::kHeap);
  const std::string& call_graph = request.call_graph();
  if (call_graph == "fp") settings.recording.call_graph = profile::CallGraph::kFramePointers;
  if (call_graph == "dwarf") settings.recording.call_graph = profile::CallGraph::kUnwindTables;
  if (!call_graph.empty() && !settings.recording.call_graph) {
    return absl::InvalidArgumentError(
        absl::StrCat("call graph \"", call_graph, "\" is neither fp nor dwarf"));
  }
  const uint32_t most_hz = profile::max_frequency_hz();
  const uint32_t frequency_hz =
      request.has_frequency_hz() ? request.frequency_hz() : std::min(kDefaultFrequencyHz, most_hz);
  settings.recording.frequency_hz = frequency_hz;
  if (frequency_hz >= 1 && frequency_hz <= most_hz) return settings;
  return absl::InvalidArgumentError(absl::StrCat(
      "a frequency of ", frequency_hz, " Hz: this kernel allows 1 to ", most_hz,
      "; `sysctl -w kernel.perf_event_max_sample_rate=", frequency_hz, "` allows more"));
}

}  // namespace hotlap::agent
