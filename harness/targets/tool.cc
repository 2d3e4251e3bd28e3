// See tool.h.
#include "harness/targets/tool.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "harness/capture/whole_file.h"

namespace hotlap::targets {

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const auto place : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    if (access(absl::StrCat(place, "/", program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

absl::StatusOr<std::string> run_tool(Spawner& spawner, const std::vector<std::string>& argv,
                                     const std::string& file, absl::Duration patience) {
  if (!in_path(argv.front())) {
    return absl::NotFoundError(absl::StrCat("there is no ", argv.front(), " in PATH"));
  }
  CompanionOptions options;
  options.name = argv.front();
  options.argv = {"/bin/sh", "-c", "file=$1; shift; exec \"$@\" >\"$file\"", "sh", file};
  options.argv.insert(options.argv.end(), argv.begin(), argv.end());
  auto process = spawner.launch_companion(options);
  if (!process.ok()) return process.status();
  if (!(*process)->await_end(patience)) {
    return absl::DeadlineExceededError(
        absl::StrCat(argv.front(), " was not done within ", absl::FormatDuration(patience)));
  }
  const std::string end = (*process)->stop();
  if (end != "exited with code 0") {
    return absl::FailedPreconditionError(
        absl::StrCat(argv.front(), " ", end, ": ", (*process)->output_tail()));
  }
  auto text = capture::read_whole_file(file);
  if (!text) return absl::NotFoundError(absl::StrCat(argv.front(), " left nothing at ", file));
  return *std::move(text);
}

}  // namespace hotlap::targets
