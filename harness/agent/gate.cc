// Launch, ask, compare; see gate.h.
#include "harness/agent/gate.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/agent/arm_environment.h"
#include "harness/agent/arm_process.h"
#include "harness/agent/load_arm.h"
#include "harness/verify/verify.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::VerifySummary;

void add_report(const verify::Report& report, VerifySummary& summary) {
  summary.set_cases(summary.cases() + static_cast<uint32_t>(report.cases));
  summary.set_differences(summary.differences() + static_cast<uint32_t>(report.differences));
  for (const std::string& line : report.lines) summary.add_lines(line);
}

// The workload's requests as bytes for one endpoint each would differ in Host; a host that all
// accept makes them the same.
absl::StatusOr<std::vector<std::string>> raw_requests(const hotlap::v1::Workload& workload) {
  auto spec = load_arm("127.0.0.1:80", workload);
  if (!spec.ok()) return spec.status();
  std::vector<std::string> raw;
  for (const load::RequestSpec& request : spec->requests) {
    // A body that may differ from reply to reply cannot be compared.
    if (request.body_rule == load::BodyRule::kAny) continue;
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
  auto requests = raw_requests(prepared.effective.workload());
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
