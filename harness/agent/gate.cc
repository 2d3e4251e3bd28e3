// Launch, ask, compare; see gate.h.
#include "harness/agent/gate.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/agent/arm_environment.h"
#include "harness/agent/arm_process.h"
#include "harness/agent/load_arm.h"
#include "harness/load/request_template.h"
#include "harness/verify/verify.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::VerifySummary;

// Of requests that differ: so many are compared.
constexpr size_t kMostOfAStream = 16;

void add_report(const verify::Report& report, VerifySummary& summary) {
  summary.set_cases(summary.cases() + static_cast<uint32_t>(report.cases));
  summary.set_differences(summary.differences() + static_cast<uint32_t>(report.differences));
  for (const std::string& line : report.lines) summary.add_lines(line);
}

// The first distinct requests of a log.
std::vector<load::RequestSpec> logged_requests(const load::ReplayLog& log,
                                               const load::RequestSpec& common) {
  std::vector<load::RequestSpec> wanted;
  for (size_t kind = 0; kind < std::min(log.distinct(), kMostOfAStream); ++kind) {
    const std::string_view start = log.start_line(kind);
    const size_t space = start.find(' ');
    wanted.push_back(common);
    wanted.back().method = start.substr(0, space);
    wanted.back().target = start.substr(space + 1);
  }
  return wanted;
}

// A request as it is, or with its first ids.
void add_with_ids(const load::ArmSpec& spec, size_t index, std::vector<load::RequestSpec>& wanted) {
  const load::RequestSpec& request = spec.requests[index];
  if (!spec.ids || !load::has_place(request)) {
    wanted.push_back(request);
    return;
  }
  for (uint64_t number = 0; number < kMostOfAStream; ++number) {
    const load::IdText id(spec.ids->at(number), spec.ids->width);
    wanted.push_back(load::with_id(request, id.text()));
  }
}

// The workload's requests as bytes for one endpoint each would differ in Host; a host that all
// accept makes them the same.
absl::StatusOr<std::vector<std::string>> raw_requests(const Prepared& prepared) {
  const hotlap::v1::Workload& workload = prepared.effective.workload();
  auto spec = load_arm("127.0.0.1:80", workload, prepared.replay);
  if (!spec.ok()) return spec.status();
  std::vector<load::RequestSpec> wanted;
  if (prepared.replay != nullptr) wanted = logged_requests(*prepared.replay, spec->requests[0]);
  for (int i = 0; i < workload.requests_size() && prepared.replay == nullptr; ++i) {
    // A body that may differ from reply to reply cannot be compared; one that differs from id to
    // id can.
    if (!workload.requests(i).any_body()) add_with_ids(*spec, static_cast<size_t>(i), wanted);
  }
  std::vector<std::string> raw;
  for (const load::RequestSpec& request : wanted) {
    std::string error;
    auto built = load::build_request(request, spec->endpoint, spec->keep_alive, error);
    if (!built) return absl::InvalidArgumentError(error);
    raw.push_back(built->wire);
  }
  return raw;
}

}  // namespace

absl::StatusOr<VerifySummary> run_gate(const Prepared& prepared, bool full,
                                       Cancellation& cancellation) {
  Cancellation::Hook end_targets(cancellation, [&prepared] { prepared.seat->spawner().end_all(); });
  std::vector<std::unique_ptr<ArmProcess>> running;
  std::vector<verify::Target> all;
  std::vector<verify::Target> pipelines;
  const auto& arms = prepared.effective.arms();
  for (int arm = 0; arm < arms.size(); ++arm) {
    const auto index = static_cast<size_t>(arm);
    auto process = ArmProcess::launch(
        prepared.seat->spawner(), arms[arm],
        prepared.seat->launch_options(index, static_cast<uint32_t>(arm)), CpuSource::kNone, {});
    if (!process.ok()) return process.status();
    const targets::Endpoint& endpoint = (*process)->process().endpoint();
    all.push_back({absl::StrCat(arms[arm].name(), " (", environment_words(arms[arm]),
                                prepared.echoes[index].asked(), ")"),
                   {endpoint.host, endpoint.port, speaks_tls((*process)->process().echo())}});
    if (arms[arm].target().has_pipeline()) pipelines.push_back(all.back());
    running.push_back(*std::move(process));
  }
  VerifySummary summary;
  summary.set_ran(true);
  if (!pipelines.empty()) {
    auto report = verify::verify(pipelines, full ? verify::Depth::full : verify::Depth::quick);
    if (!report.ok()) return report.status();
    add_report(*report, summary);
  }
  auto requests = raw_requests(prepared);
  if (!requests.ok()) return requests.status();
  auto report = verify::verify_requests(all, *requests);
  if (!report.ok()) return report.status();
  add_report(*report, summary);
  // A target that fell over while it was asked did not answer alike.
  for (const auto& process : running) {
    absl::Status alive = process->process().status();
    if (!alive.ok()) return absl::FailedPreconditionError(std::string(alive.message()));
  }
  return summary;
}

}  // namespace hotlap::agent
