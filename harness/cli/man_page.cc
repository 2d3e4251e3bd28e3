// man(7) of a command tree; see man_page.h.
#include "harness/cli/man_page.h"

#include <cstdint>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "harness/cli/exit_code.h"

namespace hotlap::cli {
namespace {

// How many bytes a character of UTF-8 has that begins with this one.
size_t bytes_of_character(unsigned char first) {
  if (first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

// A character beyond ASCII as groff names it, whatever encoding it is told to read: \[u2026].
std::string named_character(std::string_view bytes) {
  uint32_t code = static_cast<unsigned char>(bytes[0]) & (0xffu >> (bytes.size() + 1));
  for (const char c : bytes.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return absl::StrFormat("\\[u%04X]", code);
}

// Text as roff must read it: no escape, hyphens that can be copied, ASCII, and no line a request.
std::string escaped(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const size_t bytes = bytes_of_character(static_cast<unsigned char>(c));
    if (bytes > 1 && at + bytes <= text.size()) {
      out += named_character(std::string_view(text).substr(at, bytes));
      at += bytes - 1;
      line_begins = false;
      continue;
    }
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) { return absl::StrCat("\\fB", escaped(text), "\\fR"); }
std::string italic(const std::string& text) { return absl::StrCat("\\fI", escaped(text), "\\fR"); }

void add_section(std::string& page, const std::string& title) {
  absl::StrAppend(&page, ".SH ", title, "\n");
}

std::string title_of(const CommandEntry& program, const CommandEntry* command) {
  return command == nullptr ? program.name : absl::StrCat(program.name, "-", command->name);
}

void add_synopsis(std::string& page, const CommandEntry& program, const CommandEntry* command) {
  add_section(page, "SYNOPSIS");
  absl::StrAppend(&page, bold(program.name));
  if (command == nullptr) {
    absl::StrAppend(&page, " ", italic("COMMAND"), " [", italic("ARGUMENT"), "...]\n");
    return;
  }
  absl::StrAppend(&page, " ", bold(command->name), " [", italic("OPTION"), "...]");
  for (const OptionEntry& argument : command->arguments) {
    absl::StrAppend(&page, argument.required ? " " : " [", italic(argument.names[0]),
                    argument.repeated ? "..." : "", argument.required ? "" : "]");
  }
  absl::StrAppend(&page, "\n");
}

void add_entry(std::string& page, const OptionEntry& entry, bool is_argument) {
  absl::StrAppend(&page, ".TP\n");
  for (size_t i = 0; i < entry.names.size(); ++i) {
    absl::StrAppend(&page, i == 0 ? "" : ", ",
                    is_argument ? italic(entry.names[i]) : bold(entry.names[i]));
  }
  if (!is_argument && entry.takes_value == TakesValue::kYes) {
    absl::StrAppend(&page, " ", italic(entry.value_name));
  }
  if (!is_argument && entry.takes_value == TakesValue::kOptionally) {
    absl::StrAppend(&page, "[=", italic(entry.value_name), "]");
  }
  absl::StrAppend(&page, "\n", escaped(entry.help));
  if (entry.repeated) absl::StrAppend(&page, " (may be given more than once)");
  absl::StrAppend(&page, "\n");
}

void add_entries(std::string& page, const char* title, const std::vector<OptionEntry>& entries,
                 bool are_arguments) {
  if (entries.empty()) return;
  add_section(page, title);
  for (const OptionEntry& entry : entries) add_entry(page, entry, are_arguments);
}

void add_examples(std::string& page, const CommandEntry& entry) {
  if (entry.examples.empty()) return;
  add_section(page, "EXAMPLES");
  absl::StrAppend(&page, ".EX\n", escaped(entry.examples), "\n.EE\n");
}

void add_exit_status(std::string& page) {
  constexpr std::pair<int, const char*> kCodes[] = {
      {kExitDone, "Done. Under --gate: no confirmed regression."},
      {kExitRegressed, "A confirmed regression, under --gate."},
      {kExitUndecided, "Inconclusive or uncalibrated, under --gate."},
      {kExitError, "An error of the harness, of a target, of the command line or at start-up."},
      {kExitInterrupted, "Interrupted; finished rounds are kept."},
  };
  add_section(page, "EXIT STATUS");
  for (const auto& [code, meaning] : kCodes) {
    absl::StrAppend(&page, ".TP\n", bold(absl::StrCat(code)), "\n", escaped(meaning), "\n");
  }
}

void add_references(std::string& page, const CommandEntry& program, const CommandEntry* command) {
  std::vector<std::string> others;
  if (command != nullptr) others.push_back(program.name);
  for (const CommandEntry& other : program.commands) {
    if (&other != command) others.push_back(title_of(program, &other));
  }
  add_section(page, "SEE ALSO");
  for (const std::string& other : others) {
    absl::StrAppend(&page, ".BR ", escaped(other), " (1)", &other == &others.back() ? "" : ",",
                    "\n");
  }
}

std::string page_of(const CommandEntry& program, const CommandEntry* command,
                    const std::string& version) {
  const CommandEntry& entry = command == nullptr ? program : *command;
  const std::string title = title_of(program, command);
  std::string page = absl::StrCat(".TH \"", escaped(absl::AsciiStrToUpper(title)), "\" 1 \"\" \"",
                                  escaped(program.name), " ", escaped(version), "\" \"",
                                  escaped(program.name), " manual\"\n");
  add_section(page, "NAME");
  absl::StrAppend(&page, escaped(title), " \\- ", escaped(entry.summary), "\n");
  add_synopsis(page, program, command);
  if (!entry.details.empty()) {
    add_section(page, "DESCRIPTION");
    absl::StrAppend(&page, escaped(entry.details), "\n");
  }
  if (command == nullptr) {
    add_section(page, "COMMANDS");
    for (const CommandEntry& other : program.commands) {
      absl::StrAppend(&page, ".TP\n", bold(other.name), "\n", escaped(other.summary), "; see ",
                      bold(title_of(program, &other)), "(1)\n");
    }
  }
  add_entries(page, "ARGUMENTS", entry.arguments, true);
  add_entries(page, "OPTIONS", entry.options, false);
  add_examples(page, entry);
  add_exit_status(page);
  add_references(page, program, command);
  return page;
}

}  // namespace

std::vector<ManPage> man_pages(const CommandEntry& program, const std::string& version) {
  std::vector<ManPage> pages;
  pages.push_back({program.name + ".1", page_of(program, nullptr, version)});
  for (const CommandEntry& command : program.commands) {
    pages.push_back({title_of(program, &command) + ".1", page_of(program, &command, version)});
  }
  return pages;
}

}  // namespace hotlap::cli
