// hotlap: is B faster than A, by how much, and why?
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/generate.h"

namespace hotlap::cli {

std::string Invocation::command_line() const {
  std::string line = "hotlap";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    // The run directory exists by then.
    if (argument == "--out") ++i;
    if (argument == "--out" || absl::StartsWith(argument, "--out=")) continue;
    const bool plain = !argument.empty() &&
                       argument.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~!") == std::string::npos;
    if (plain) {
      absl::StrAppend(&line, " ", argument);
      continue;
    }
    std::string quoted = "'";
    for (char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    absl::StrAppend(&line, " ", quoted, "'");
  }
  return line;
}

int fail(const std::string& message) {
  fprintf(stderr, "hotlap: %s\n", message.c_str());
  return kExitError;
}

namespace {

// CLI11 would only say that a subcommand is required.
std::string unknown_subcommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return "";
    absl::StrAppend(&names, names.empty() ? "" : ", ", command->get_name());
  }
  return absl::StrCat("there is no subcommand \"", argv[1], "\"; there are ", names);
}

int run_main(int argc, char** argv) {
  CLI::App app{
      "Is B faster than A, by how much, and why?\n"
      "A/B tests of servers' hot paths in slices of a few milliseconds, with an honest interval.\n"
      "Example: hotlap ab --base fast --stage request_line=regex,scalar"};
  app.name("hotlap");
  app.require_subcommand(1);
  app.set_version_flag("--version", "hotlap " HOTLAP_VERSION);
  app.failure_message([](const CLI::App* command, const CLI::Error& error) {
    return absl::StrCat("hotlap: ", error.what(), "\n`hotlap ",
                        command->get_subcommands().empty()
                            ? ""
                            : command->get_subcommands().front()->get_name() + " ",
                        "--help` lists what there is.\n");
  });
  Invocation invocation{argc, argv, kExitDone};
  add_ab_command(app, invocation);
  add_run_command(app, invocation);
  add_audit_command(app, invocation);
  add_profile_command(app, invocation);
  add_verify_command(app, invocation);
  add_load_command(app, invocation);
  add_variants_command(app, invocation);
  add_report_command(app, invocation);
  add_doctor_command(app, invocation);
  add_agent_command(app, invocation);
  if (const auto code = generate(app, {argv + 1, argv + argc}, HOTLAP_VERSION)) return *code;
  if (const std::string unknown = unknown_subcommand(app, argc, argv); !unknown.empty()) {
    return fail(unknown);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has exit codes of its own, which would look like a gate's.
    invocation.exit_code = app.exit(error) == 0 ? kExitDone : kExitError;
    std::cout.flush();
  }
  // What could not be printed was not done. Of what failed earlier errno no longer tells why.
  if (fflush(stdout) != 0) {
    return fail(absl::StrCat("standard output cannot be written: ", strerror(errno)));
  }
  if (ferror(stdout) != 0 || !std::cout) {
    return fail("standard output cannot be written: is it closed, or its device full?");
  }
  return invocation.exit_code;
}

}  // namespace
}  // namespace hotlap::cli

int main(int argc, char** argv) { return hotlap::cli::run_main(argc, argv); }
