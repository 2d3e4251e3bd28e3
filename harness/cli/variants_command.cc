// `hotlap variants`: what the server's own registry says, so that the list cannot lag behind it.
#include <memory>

#include "harness/cli/agent_process.h"
#include "harness/cli/child_process.h"
#include "harness/cli/commands.h"

namespace hotlap::cli {

void add_variants_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("variants", "list stages, their variants and profiles");
  command->footer("Example: hotlap variants --json");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([json, &invocation] {
    std::vector<std::string> argv = {binary_directory() + "/hotlap-server", "--list"};
    if (*json) argv.push_back("--json");
    const auto code = run_child(argv, {});
    invocation.exit_code = code.ok() ? *code : fail(std::string(code.status().message()));
  });
}

}  // namespace hotlap::cli
