// What a command line consists of, read from the CLI11 parser that parses it, so that man pages and
// completions cannot say what the program does not do. Costs nothing unless asked for.
#ifndef HOTLAP_HARNESS_CLI_COMMAND_TREE_H_
#define HOTLAP_HARNESS_CLI_COMMAND_TREE_H_

#include <string>
#include <vector>

#include "harness/cli/cli11.h"

namespace hotlap::cli {

enum class TakesValue { kNo, kOptionally, kYes };

struct OptionEntry {
  std::vector<std::string> names;  // "-c", "--connections"; of an argument its one name, "RUN"
  std::string value_name;          // "TEXT", "INT"; empty where it takes no value
  std::string help;
  TakesValue takes_value = TakesValue::kNo;
  bool required = false;
  bool repeated = false;
};

struct CommandEntry {
  std::string name;      // "ab"; of the program itself "hotlap"
  std::string summary;   // one line
  std::string details;   // what the footer says before its examples
  std::string examples;  // the examples' lines, without their heading or indentation
  std::vector<OptionEntry> arguments;
  std::vector<OptionEntry> options;
  std::vector<CommandEntry> commands;
};

// Everything but what is hidden (of an empty group), in the order of declaration.
CommandEntry command_tree(const CLI::App& app);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_COMMAND_TREE_H_
