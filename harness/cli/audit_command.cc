// `hotlap audit`: the system calls of one request, or of two targets' requests as a patch.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/audit/audit_text.h"
#include "harness/audit/comparison.h"
#include "harness/audit/fault_script.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/arms_document.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/cli/target_grammar.h"
#include "harness/record/file.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::Audit;

constexpr uint32_t kSchemaVersion = 1;
constexpr char kVerb[] = "audit";

struct AuditFlags {
  ArmsDocumentFlags document;
  std::optional<uint32_t> requests;
  std::optional<uint32_t> idle_ms;
  bool faults = false;
  std::string tracer;
};

absl::StatusOr<std::vector<hotlap::v1::AuditRequest>> requests_of(const AuditFlags& flags) {
  auto arms = flags.document.arms(kVerb);
  if (!arms.ok()) return arms.status();
  auto workload = flags.document.workload.workload();
  if (!workload.ok()) return workload.status();
  auto placement = flags.document.placement.placement();
  if (!placement.ok()) return placement.status();
  std::vector<hotlap::v1::AuditRequest> requests;
  for (const hotlap::v1::Arm& arm : *arms) {
    hotlap::v1::AuditRequest request;
    *request.mutable_arm() = arm;
    *request.mutable_workload() = *workload;
    *request.mutable_placement() = *placement;
    request.mutable_placement()->set_share(true);  // nothing is timed
    if (flags.requests) request.set_requests(*flags.requests);
    if (flags.idle_ms) request.set_idle_ms(*flags.idle_ms);
    request.set_faults(flags.faults);
    request.set_tracer(flags.tracer);
    requests.push_back(std::move(request));
  }
  return requests;
}

std::string text_of(const Audit& audit) {
  std::string text = audit.arms_size() == 1 ? audit::arm_text(audit.arms(0))
                                            : audit::difference_text(audit.arms(0), audit.arms(1));
  for (const auto& arm : audit.arms()) text += audit::faults_text(arm);
  return text;
}

absl::Status write_all(const Audit& audit, const std::string& json,
                       const std::filesystem::path& out) {
  absl::Status status = record::make_run_directory(out);
  for (const auto& arm : audit.arms()) {
    if (!status.ok()) return status;
    status =
        record::replace_file(out / absl::StrCat("audit-", arm.arm(), ".txt"), audit::arm_text(arm));
  }
  if (status.ok() && audit.arms_size() > 1) {
    status = record::replace_file(out / "audit-diff.txt", text_of(audit));
  }
  if (status.ok()) status = record::replace_file(out / "audit.json", json);
  return status;
}

// Every arm by one tracer, since two do not see the same. Where one arm alone had to fall back, all
// are traced again by what it fell back to.
absl::Status trace_arms(std::vector<hotlap::v1::AuditRequest> requests, AgentProcess& agent,
                        Interrupt& interrupt, Progress& progress, Audit& audit) {
  for (size_t i = 0; i < requests.size(); ++i) {
    const hotlap::v1::AuditRequest& request = requests[i];
    progress.update(absl::StrCat("tracing ", request.arm().name(), ": ", arm_text(request.arm())));
    grpc::ClientContext context;
    Interrupt::Call call(interrupt, context);
    hotlap::v1::AuditResponse response;
    absl::Status status = call_status(agent.stub().Audit(&context, request, &response), interrupt);
    if (!status.ok()) return status;
    if (i > 0 && response.audit().tracer() != audit.arms(0).tracer()) {
      for (auto& again : requests) again.set_tracer("tracepoints");
      audit.clear_arms();
      return trace_arms(std::move(requests), agent, interrupt, progress, audit);
    }
    *audit.add_arms() = response.audit();
    *audit.mutable_workload() = response.effective();
  }
  return absl::OkStatus();
}

absl::StatusOr<Audit> take_audit(const std::vector<hotlap::v1::AuditRequest>& requests,
                                 AgentProcess& agent, Interrupt& interrupt, Progress& progress) {
  Audit audit;
  audit.set_schema_version(kSchemaVersion);
  audit.set_created(absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone()));
  auto host = describe_host(agent, interrupt);
  if (!host.ok()) return host.status();
  *audit.mutable_environment() = *std::move(host);
  const absl::Status status = trace_arms(requests, agent, interrupt, progress, audit);
  if (!status.ok()) return status;
  if (audit.arms_size() > 1) {
    for (auto& difference : audit::differences(audit.arms(0), audit.arms(1))) {
      *audit.add_differences() = std::move(difference);
    }
  }
  return audit;
}

int run_audit(const AuditFlags& flags, const Invocation& invocation) {
  auto requests = requests_of(flags);
  if (!requests.ok()) return fail(std::string(requests.status().message()));
  Interrupt interrupt;
  Progress progress(flags.document.quiet ? Progress::Style::kSilent : Progress::style_of_stderr());
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  auto audit = take_audit(*requests, **agent, interrupt, progress);
  progress.clear();
  agent->reset();
  if (absl::IsCancelled(audit.status())) return kExitInterrupted;
  if (!audit.ok()) return fail(std::string(audit.status().message()));
  audit->set_command(invocation.command_line());
  auto json = document_json(*audit, kVerb);
  if (!json.ok()) return fail(std::string(json.status().message()));
  const std::filesystem::path out = flags.document.directory(kVerb);
  const absl::Status written = write_all(*audit, *json, out);
  if (!written.ok()) return fail(std::string(written.message()));
  show_document(flags.document, kVerb, out, *json, text_of(*audit));
  return kExitDone;
}

}  // namespace

void add_audit_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("audit", "show the system calls that one request makes");
  command->footer(
      "The target runs under strace, or where that may not trace under the kernel's tracepoints\n"
      "(by perf), and is asked one request at a time over one connection.\n"
      "Descriptors are named by their role; addresses, times and contents are masked. Two targets\n"
      "give a patch. TARGET is as in `hotlap ab --help`, but for url:.\n"
      "Examples:\n"
      "  hotlap audit fast\n"
      "  hotlap audit --a fast,address=per_request --b fast,address=cached --request /address");
  auto flags = std::make_shared<AuditFlags>();
  flags->document.add_targets_to(*command, kVerb);
  command->add_option("-n,--requests", flags->requests, "requests, 2 or more (default 64)");
  command->add_option("--idle-ms", flags->idle_ms,
                      "stretch without load whose calls are subtracted (default 1100)");
  command->add_flag("--faults", flags->faults,
                    "where pages are faulted in, too: code and place of every fault (needs perf)");
  command
      ->add_option("--tracer", flags->tracer,
                   "strace or tracepoints (default: strace where it may trace, else tracepoints)")
      ->check(CLI::IsMember({"strace", "tracepoints"}));
  flags->document.add_rest_to(*command, kVerb);
  command->callback([flags, &invocation] { invocation.exit_code = run_audit(*flags, invocation); });
}

}  // namespace hotlap::cli
