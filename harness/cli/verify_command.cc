// `hotlap verify`: the equivalence gate alone.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/experiment_flags.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/cli/target_grammar.h"

namespace hotlap::cli {
namespace {

struct VerifyFlags {
  std::vector<std::string> targets;
  bool full = false;
  bool json = false;
  WorkloadFlags workload;
};

absl::StatusOr<hotlap::v1::Experiment> experiment_of(const VerifyFlags& flags) {
  std::vector<std::string> targets = flags.targets;
  // One target alone is compared with the plain and sound pipeline.
  if (targets.size() == 1) targets.insert(targets.begin(), "baseline");
  hotlap::v1::Experiment experiment;
  experiment.set_name("verify");
  experiment.set_skip_counting(true);
  for (size_t i = 0; i < targets.size(); ++i) {
    auto target = parse_target(targets[i]);
    if (!target.ok()) return target.status();
    auto* arm = experiment.add_arms();
    arm->set_name(i < 26 ? std::string(1, static_cast<char>('a' + i)) : absl::StrCat("arm", i));
    *arm->mutable_target() = *std::move(target);
  }
  auto workload = flags.workload.workload();
  if (!workload.ok()) return workload.status();
  *experiment.mutable_workload() = *std::move(workload);
  experiment.mutable_placement()->set_share(true);  // nothing is timed
  return experiment;
}

void print_summary(const hotlap::v1::VerifySummary& summary, bool json) {
  if (json) {
    nlohmann::ordered_json object;
    object["schema"] = 1;
    object["equivalent"] = summary.differences() == 0;
    object["cases"] = summary.cases();
    object["differences"] = summary.differences();
    object["lines"] = std::vector<std::string>(summary.lines().begin(), summary.lines().end());
    printf("%s\n", object.dump(2).c_str());
    return;
  }
  for (const std::string& line : summary.lines()) printf("%s\n", line.c_str());
  printf("%u cases, %u differences: %s\n", summary.cases(), summary.differences(),
         summary.differences() == 0 ? "the targets answer alike" : "they do not answer alike");
}

int run_verify(const VerifyFlags& flags) {
  auto experiment = experiment_of(flags);
  if (!experiment.ok()) return fail(std::string(experiment.status().message()));
  Interrupt interrupt;
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  Progress progress(flags.json ? Progress::Style::kSilent : Progress::style_of_stderr());
  progress.update("asking every target the same");
  hotlap::v1::VerifyResponse response;
  {
    grpc::ClientContext context;
    Interrupt::Call call(interrupt, context);
    hotlap::v1::SetupRequest request;
    *request.mutable_experiment() = *experiment;
    hotlap::v1::SetupResponse ready;
    const grpc::Status status = (*agent)->stub().Setup(&context, request, &ready);
    if (interrupt.raised()) return kExitInterrupted;
    if (!status.ok()) return fail(status.error_message());
  }
  grpc::ClientContext context;
  Interrupt::Call call(interrupt, context);
  hotlap::v1::VerifyRequest request;
  request.set_full(flags.full);
  const grpc::Status status = (*agent)->stub().Verify(&context, request, &response);
  progress.clear();
  if (interrupt.raised()) return kExitInterrupted;
  if (!status.ok()) return fail(status.error_message());
  print_summary(response.summary(), flags.json);
  return response.summary().differences() == 0 ? kExitDone : kExitError;
}

}  // namespace

void add_verify_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("verify", "prove that targets answer identically");
  command->footer(
      "The first target is the reference; a single one is compared with baseline. Pipelines "
      "answer\n"
      "a corpus of good and bad requests; other targets the requests given. Exit 3 on a "
      "difference.\n"
      "Example: hotlap verify fast original --full");
  auto flags = std::make_shared<VerifyFlags>();
  command->add_option("TARGET", flags->targets, "what to compare")->required();
  command->add_flag("--full", flags->full, "the whole corpus at many splits");
  command->add_flag("--json", flags->json, "print one JSON object");
  flags->workload.add_to(*command);
  command->callback([flags, &invocation] { invocation.exit_code = run_verify(*flags); });
}

}  // namespace hotlap::cli
