// The subcommands of hotlap. Each adds itself, with its flags and an example, to the command line;
// what it did is the process's exit code.
#ifndef HOTLAP_HARNESS_CLI_COMMANDS_H_
#define HOTLAP_HARNESS_CLI_COMMANDS_H_

#include <string>

#include "harness/cli/cli11.h"

namespace hotlap::cli {

// What the chosen subcommand leaves behind for main.
struct Invocation {
  int argc = 0;
  char** argv = nullptr;
  int exit_code = 0;

  // The command line as one could type it again: without --out, whose directory exists by then.
  std::string command_line() const;
};

void add_ab_command(CLI::App& app, Invocation& invocation);
void add_run_command(CLI::App& app, Invocation& invocation);
void add_audit_command(CLI::App& app, Invocation& invocation);
void add_profile_command(CLI::App& app, Invocation& invocation);
void add_verify_command(CLI::App& app, Invocation& invocation);
void add_load_command(CLI::App& app, Invocation& invocation);
void add_variants_command(CLI::App& app, Invocation& invocation);
void add_report_command(CLI::App& app, Invocation& invocation);
void add_doctor_command(CLI::App& app, Invocation& invocation);
void add_agent_command(CLI::App& app, Invocation& invocation);

// Prints "hotlap: …" on standard error and returns the code of an error.
int fail(const std::string& message);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_COMMANDS_H_
