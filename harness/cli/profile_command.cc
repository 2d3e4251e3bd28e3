// `hotlap profile`: where a target spends its CPU time, or two targets do, by stage and function,
// where their threads wait, and what they allocate.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "harness/cli/agent_process.h"
#include "harness/cli/arms_document.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/profile_document.h"
#include "harness/cli/progress.h"
#include "harness/record/file.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::ProfileRequest;

constexpr char kVerb[] = "profile";

struct ProfileFlags {
  ArmsDocumentFlags document;
  std::optional<double> duration_s;
  std::optional<uint32_t> frequency_hz;
  std::string call_graph;
  bool off_cpu = false;
  bool heap = false;
};

absl::StatusOr<ProfileRequest> request_of(const ProfileFlags& flags) {
  auto arms = flags.document.arms(kVerb);
  if (!arms.ok()) return arms.status();
  auto workload = flags.document.workload.workload();
  if (!workload.ok()) return workload.status();
  auto placement = flags.document.placement.placement();
  if (!placement.ok()) return placement.status();
  ProfileRequest request;
  *request.mutable_arms() = *std::move(arms);
  *request.mutable_workload() = *std::move(workload);
  *request.mutable_placement() = *std::move(placement);
  if (flags.duration_s) request.set_duration_s(*flags.duration_s);
  if (flags.frequency_hz) request.set_frequency_hz(*flags.frequency_hz);
  request.set_call_graph(flags.call_graph);
  request.set_off_cpu(flags.off_cpu);
  request.set_heap(flags.heap);
  return request;
}

int run_profile(const ProfileFlags& flags, const Invocation& invocation) {
  auto request = request_of(flags);
  if (!request.ok()) return fail(std::string(request.status().message()));
  Interrupt interrupt;
  Progress progress(flags.document.quiet ? Progress::Style::kSilent : Progress::style_of_stderr());
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  auto host = describe_host(**agent, interrupt);
  if (absl::IsCancelled(host.status())) return kExitInterrupted;
  if (!host.ok()) return fail(std::string(host.status().message()));
  auto profile = take_profile(*request, **agent, interrupt, progress);
  progress.clear();
  agent->reset();
  if (absl::IsCancelled(profile.status())) return kExitInterrupted;
  if (!profile.ok()) return fail(std::string(profile.status().message()));
  profile->set_command(invocation.command_line());
  *profile->mutable_environment() = *std::move(host);
  auto json = profile_json(*profile);
  if (!json.ok()) return fail(std::string(json.status().message()));
  const std::filesystem::path out = flags.document.directory(kVerb);
  absl::Status written = record::make_run_directory(out);
  if (written.ok()) written = write_profile(*profile, *json, out);
  if (!written.ok()) return fail(std::string(written.message()));
  show_document(flags.document, kVerb, out, *json, whole_profile_text(*profile));
  return kExitDone;
}

}  // namespace

void add_profile_command(CLI::App& app, Invocation& invocation) {
  auto* command =
      app.add_subcommand("profile", "show which stages and functions cost the CPU time");
  command->footer(
      "perf samples the target under load; samples become nanoseconds of CPU a request. Two\n"
      "targets are loaded in turns of a tenth of a second, and what changed is shown. System "
      "calls\n"
      "and libraries are charged to the stage that called them. TARGET is as in `hotlap ab "
      "--help`,\n"
      "but for url:. Beside the page: profile.json, folded stacks, and speedscope files.\n"
      "Each further view (--off-cpu, --heap) takes as long again.\n"
      "Examples:\n"
      "  hotlap profile fast\n"
      "  hotlap profile --a fast,request_line=regex --b fast,request_line=scalar\n"
      "  hotlap profile --off-cpu fast,dispatch=thread_pool\n"
      "  hotlap profile --heap --a fast --b fast,header_map=unordered_map");
  auto flags = std::make_shared<ProfileFlags>();
  flags->document.add_targets_to(*command, kVerb);
  command->add_option("-d,--duration", flags->duration_s,
                      "seconds of load while a target is sampled (default 5)");
  command->add_option(
      "--frequency", flags->frequency_hz,
      "samples a second of CPU time, and of other views about as many stacks (default 4999)");
  command->add_option(
      "--call-graph", flags->call_graph,
      "how stacks are followed: dwarf (unwind tables), or fp (frame pointers, which "
      "miss the callers of most libc functions); default dwarf, of Go programs fp");
  command->add_flag("--off-cpu", flags->off_cpu,
                    "also where threads wait: ns asleep a request, by stage and stack");
  command->add_flag("--heap", flags->heap,
                    "also what is allocated: bytes and calls a request, by stage and stack");
  flags->document.add_rest_to(*command, kVerb);
  command->callback(
      [flags, &invocation] { invocation.exit_code = run_profile(*flags, invocation); });
}

}  // namespace hotlap::cli
