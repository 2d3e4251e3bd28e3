// Man pages and completions, written; see generate.h.
#include "harness/cli/generate.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "harness/cli/command_tree.h"
#include "harness/cli/commands.h"
#include "harness/cli/completion.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/man_page.h"

namespace hotlap::cli {
namespace {

int write_man_pages(const CommandEntry& program, const std::string& directory,
                    const std::string& version) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const ManPage& page : man_pages(program, version)) {
    const std::string path = (std::filesystem::path(directory) / page.file_name).string();
    std::ofstream file(path);
    if (!(file << page.text << std::flush)) {
      return fail(absl::StrCat("cannot write ", path, ": ", strerror(errno)));
    }
  }
  return kExitDone;
}

}  // namespace

std::optional<int> generate(const CLI::App& app, const std::vector<std::string>& arguments,
                            const std::string& version) {
  if (arguments.empty() || arguments[0] != "--generate") return std::nullopt;
  const std::string what = arguments.size() == 3 ? arguments[1] : "";
  const CommandEntry program = command_tree(app);
  if (what == "man") return write_man_pages(program, arguments[2], version);
  std::string script;
  if (what == "completion" && arguments[2] == "bash") script = bash_completion(program);
  if (what == "completion" && arguments[2] == "zsh") script = zsh_completion(program);
  if (what == "completion" && arguments[2] == "fish") script = fish_completion(program);
  if (script.empty()) {
    return fail("--generate makes `man DIRECTORY`, or `completion SHELL` of bash, zsh or fish");
  }
  const bool whole = fwrite(script.data(), 1, script.size(), stdout) == script.size();
  if (whole && fflush(stdout) == 0) return kExitDone;
  return fail(absl::StrCat("standard output cannot be written: ", strerror(errno)));
}

}  // namespace hotlap::cli
