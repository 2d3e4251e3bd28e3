// From a parser to a description; see command_tree.h.
#include "harness/cli/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace hotlap::cli {
namespace {

OptionEntry option_entry(const CLI::Option& option) {
  OptionEntry entry;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  } else {
    entry.names.push_back(option.get_name(true));
  }
  entry.help = option.get_description();
  entry.required = option.get_required();
  entry.repeated = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  if (option.get_items_expected_max() > 0) {
    entry.takes_value =
        option.get_items_expected_min() > 0 ? TakesValue::kYes : TakesValue::kOptionally;
    entry.value_name = option.get_type_name();
    if (entry.value_name.empty()) entry.value_name = "VALUE";
  }
  return entry;
}

// "Example: one line", or "Examples:" and lines below it.
void split_footer(const std::string& footer, CommandEntry& entry) {
  bool in_examples = false;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(footer, '\n'))) {
    std::string text(absl::StripAsciiWhitespace(line));
    if (absl::StartsWith(text, "Example: ") || absl::StartsWith(text, "Examples:")) {
      in_examples = true;
      text = std::string(absl::StripAsciiWhitespace(text.substr(text.find(':') + 1)));
    }
    if (text.empty()) continue;
    std::string& part = in_examples ? entry.examples : entry.details;
    absl::StrAppend(&part, part.empty() ? "" : in_examples ? "\n" : " ", text);
  }
}

}  // namespace

CommandEntry command_tree(const CLI::App& app) {
  CommandEntry entry;
  entry.name = app.get_name();
  const std::string description = app.get_description();
  entry.summary = description.substr(0, description.find('\n'));
  if (entry.summary.size() < description.size()) {
    split_footer(description.substr(entry.summary.size()), entry);
  }
  split_footer(app.get_footer(), entry);
  for (const CLI::Option* option : app.get_options({})) {
    if (option->get_group().empty()) continue;
    auto& entries = option->nonpositional() ? entry.options : entry.arguments;
    entries.push_back(option_entry(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) entry.commands.push_back(command_tree(*command));
  }
  return entry;
}

}  // namespace hotlap::cli
