// Completion scripts; see completion.h.
#include "harness/cli/completion.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace hotlap::cli {
namespace {

std::vector<std::string> names_of(const std::vector<OptionEntry>& options, bool only_with_value) {
  std::vector<std::string> names;
  for (const OptionEntry& option : options) {
    if (only_with_value && option.takes_value != TakesValue::kYes) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string command_names(const CommandEntry& program) {
  return absl::StrJoin(program.commands, " ", [](std::string* out, const CommandEntry& command) {
    out->append(command.name);
  });
}

// In single quotes, as bash and zsh read them.
std::string single_quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// fish knows two escapes within single quotes.
std::string quoted_for_fish(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// One option as zsh's _arguments wants it: '(-a --b)'{-a,--b}'[help]:value:_files'.
std::string zsh_option(const OptionEntry& option) {
  const std::string help =
      absl::StrReplaceAll(option.help, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
  std::string line = option.repeated
                         ? "'*'"
                         : single_quoted(absl::StrCat("(", absl::StrJoin(option.names, " "), ")"));
  if (option.names.size() == 1) {
    absl::StrAppend(&line, option.names[0]);
  } else {
    absl::StrAppend(&line, "{", absl::StrJoin(option.names, ","), "}");
  }
  std::string rest = absl::StrCat("[", help, "]");
  if (option.takes_value == TakesValue::kYes) {
    absl::StrAppend(&rest, ":", absl::StrReplaceAll(option.value_name, {{":", "\\:"}}), ":_files");
  }
  return line + single_quoted(rest);
}

}  // namespace

std::string bash_completion(const CommandEntry& program) {
  const std::string& name = program.name;
  std::string cases;
  for (const CommandEntry& command : program.commands) {
    absl::StrAppend(
        &cases, "    ", command.name,
        ")\n      options=", single_quoted(absl::StrJoin(names_of(command.options, false), " ")),
        "\n      valued=", single_quoted(absl::StrJoin(names_of(command.options, true), " ")),
        "\n      ;;\n");
  }
  return absl::StrCat(
      "# bash completion of ", name, "; generated from its command line.\n_", name, "() {\n",
      "  local word=${COMP_WORDS[COMP_CWORD]} command= options= valued= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    if [[ ${COMP_WORDS[i]} != -* ]]; then\n"
      "      command=${COMP_WORDS[i]}\n"
      "      break\n"
      "    fi\n"
      "  done\n"
      "  case $command in\n"
      "    '')\n"
      "      local all=",
      single_quoted(command_names(program)), "\n      if [[ $word == -* ]]; then all=",
      single_quoted(absl::StrJoin(names_of(program.options, false), " ")),
      "; fi\n"
      "      mapfile -t COMPREPLY < <(compgen -W \"$all\" -- \"$word\")\n"
      "      return\n"
      "      ;;\n",
      cases,
      "  esac\n"
      "  local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  if [[ $word == -* && \" $valued \" != *\" $previous \"* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "    compopt -o filenames 2>/dev/null\n"
      "  fi\n"
      "}\n"
      "complete -F _",
      name, " ", name, "\n");
}

std::string zsh_completion(const CommandEntry& program) {
  const std::string& name = program.name;
  std::string described;
  std::string cases;
  for (const CommandEntry& command : program.commands) {
    const std::string summary = absl::StrReplaceAll(command.summary, {{":", "\\:"}});
    absl::StrAppend(&described, "    ", single_quoted(absl::StrCat(command.name, ":", summary)),
                    "\n");
    absl::StrAppend(&cases, "        ", command.name, ")\n          _arguments -s \\\n");
    for (const OptionEntry& option : command.options) {
      absl::StrAppend(&cases, "            ", zsh_option(option), " \\\n");
    }
    absl::StrAppend(&cases, "            '*:argument:_files'\n          ;;\n");
  }
  return absl::StrCat("#compdef ", name, "\n# zsh completion of ", name,
                      "; generated from its command line.\n_", name,
                      "() {\n"
                      "  local context state state_descr line\n"
                      "  typeset -A opt_args\n"
                      "  local -a commands=(\n",
                      described,
                      "  )\n"
                      "  _arguments -C '1:command:->command' '*::argument:->arguments'\n"
                      "  case $state in\n"
                      "    command) _describe command commands ;;\n"
                      "    arguments)\n"
                      "      case $words[1] in\n",
                      cases,
                      "      esac\n"
                      "      ;;\n"
                      "  esac\n"
                      "}\n_",
                      name, " \"$@\"\n");
}

std::string fish_completion(const CommandEntry& program) {
  const std::string& name = program.name;
  std::string script =
      absl::StrCat("# fish completion of ", name, "; generated from its command line.\n");
  for (const CommandEntry& command : program.commands) {
    absl::StrAppend(&script, "complete -c ", name, " -f -n __fish_use_subcommand -a ", command.name,
                    " -d ", quoted_for_fish(command.summary), "\n");
  }
  for (const CommandEntry& command : program.commands) {
    for (const OptionEntry& option : command.options) {
      absl::StrAppend(&script, "complete -c ", name, " -n '__fish_seen_subcommand_from ",
                      command.name, "'");
      for (const std::string& option_name : option.names) {
        const bool is_long = absl::StartsWith(option_name, "--");
        absl::StrAppend(&script, is_long ? " -l " : " -s ", option_name.substr(is_long ? 2 : 1));
      }
      absl::StrAppend(&script, option.takes_value == TakesValue::kYes ? " -r" : "", " -d ",
                      quoted_for_fish(option.help), "\n");
    }
  }
  return script;
}

}  // namespace hotlap::cli
