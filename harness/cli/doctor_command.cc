// `hotlap doctor`: what this machine lets us measure, and the command that would enable the rest.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/machine_preparation.h"

namespace hotlap::cli {
namespace {

void print_text(const hotlap::v1::DescribeResponse& host) {
  const auto& environment = host.environment();
  printf("%s, %u CPUs, Linux %s, %s\n\n", environment.cpu_model().c_str(), environment.cpus(),
         environment.kernel().c_str(), environment.virtualization().c_str());
  for (const auto& capability : host.capabilities()) {
    printf("%s %-22s %s\n", capability.available() ? "ok " : "-- ", capability.name().c_str(),
           capability.detail().c_str());
    if (!capability.available() && !capability.remedy().empty()) {
      printf("   %-22s to enable: %s\n", "", capability.remedy().c_str());
    }
  }
}

void print_json(const hotlap::v1::DescribeResponse& host) {
  nlohmann::ordered_json object;
  const auto& environment = host.environment();
  object["schema"] = 1;
  object["cpu_model"] = environment.cpu_model();
  object["cpus"] = environment.cpus();
  object["kernel"] = environment.kernel();
  object["virtualization"] = environment.virtualization();
  object["capabilities"] = nlohmann::ordered_json::array();
  for (const auto& capability : host.capabilities()) {
    object["capabilities"].push_back({{"name", capability.name()},
                                      {"available", capability.available()},
                                      {"detail", capability.detail()},
                                      {"remedy", capability.remedy()}});
  }
  printf("%s\n", object.dump(2).c_str());
}

int run_doctor(bool json) {
  Interrupt interrupt;
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  grpc::ClientContext context;
  Interrupt::Call call(interrupt, context);
  hotlap::v1::DescribeResponse host;
  const grpc::Status status = (*agent)->stub().Describe(&context, {}, &host);
  if (interrupt.raised()) return kExitInterrupted;
  if (!status.ok()) return fail(status.error_message());
  json ? print_json(host) : print_text(host);
  return kExitDone;
}

struct DoctorFlags {
  bool json = false;
  bool fix = false;
  bool restore = false;
  bool dry_run = false;
};

int run_preparation(const DoctorFlags& flags) {
  const bool is_root = geteuid() == 0;
  const std::filesystem::path state = machine_state_file(std::getenv, is_root);
  MachinePreparation machine("/", state);
  const bool dry_run = flags.dry_run || !is_root;
  const auto done = flags.fix ? machine.fix(dry_run) : machine.restore(dry_run);
  if (!done.ok()) return fail(std::string(done.status().message()));
  const std::string text =
      flags.json ? preparation_json(*done, state) : preparation_text(*done, is_root);
  fputs(text.c_str(), stdout);
  if (done->failed()) return fail("not every setting could be changed: the reasons are above");
  if (!is_root && !flags.dry_run && !done->settings.empty()) {
    return fail("nothing was changed: it takes root");
  }
  return kExitDone;
}

}  // namespace

void add_doctor_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("doctor", "tell what this machine lets us measure");
  command->footer(
      "--fix makes the changes that do no harm and remembers what was there before; --restore "
      "takes\n"
      "back those changes and no others. SMT, the clock source and other load are told and left.\n"
      "Examples:\n"
      "  hotlap doctor\n"
      "  hotlap doctor --fix --dry-run");
  auto flags = std::make_shared<DoctorFlags>();
  command->add_flag("--json", flags->json, "print one JSON object");
  auto* fix = command->add_flag("--fix", flags->fix, "prepare the machine, as root");
  auto* restore =
      command->add_flag("--restore", flags->restore, "undo what --fix changed, as root");
  fix->excludes(restore);
  command->add_flag("--dry-run", flags->dry_run, "with either: print the commands, change nothing");
  command->callback([flags, &invocation] {
    if (flags->dry_run && !flags->fix && !flags->restore) {
      invocation.exit_code = fail("--dry-run goes with --fix or --restore");
      return;
    }
    invocation.exit_code =
        flags->fix || flags->restore ? run_preparation(*flags) : run_doctor(flags->json);
  });
}

}  // namespace hotlap::cli
