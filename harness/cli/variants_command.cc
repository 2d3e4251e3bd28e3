// `hotlap variants`: what the server's own registry says, and what each variant costs alone where
// that was measured on this machine.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <memory>

#include "harness/capture/machine_facts.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/child_process.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/variant_list.h"

namespace hotlap::cli {
namespace {

absl::StatusOr<record::MicroFigures> figures_of_this_machine() {
  const auto path = record::micro_figures_path();
  if (!path.ok()) return path.status();
  return record::read_micro_figures(*path, capture::read_machine_facts().cpu_model);
}

int run_variants(bool json) {
  std::string output;
  ChildOptions options;
  options.output = &output;
  const auto code = run_child({binary_directory() + "/hotlap-server", "--list", "--json"}, options);
  if (!code.ok()) return fail(std::string(code.status().message()));
  if (*code != kExitDone) return *code;
  auto list = parse_variant_list(output);
  if (!list.ok()) return fail(std::string(list.status().message()));
  add_figures(*list, figures_of_this_machine(), std::time(nullptr));
  const std::string text = json ? list->dump(1) + "\n" : variant_list_text(*list);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace

void add_variants_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("variants", "list stages, their variants and profiles");
  command->footer(
      "Example: hotlap variants --json\n"
      "Costs of a call are those of the last `hotlap-micro --save` on this machine.");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([json, &invocation] { invocation.exit_code = run_variants(*json); });
}

}  // namespace hotlap::cli
