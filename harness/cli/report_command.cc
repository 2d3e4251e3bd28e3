// `hotlap report`: pictures and documents of a run, made again from its files.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/python_report.h"
#include "harness/record/run_directory.h"

namespace hotlap::cli {

void add_report_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("report", "make report.html and findings.md of a run");
  command->footer("Example: hotlap report results/run-20260101-120000-ab");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("RUN", *path, "the run directory")->required();
  command->add_flag("--json", *json, "print the paths of what was made as JSON");
  command->callback([path, json, &invocation] {
    const auto run = record::read_run(*path);
    if (!run.ok()) {
      invocation.exit_code = fail(std::string(run.status().message()));
      return;
    }
    std::vector<std::string> arguments = {"report", *path};
    if (*json) arguments.push_back("--json");
    const absl::Status status = run_analysis(arguments, false);
    invocation.exit_code = status.ok() ? kExitDone : fail(std::string(status.message()));
  });
}

}  // namespace hotlap::cli
