// The interpreter and the package's place; see python_report.h.
#include "harness/cli/python_report.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/child_process.h"

namespace hotlap::cli {

absl::Status run_analysis(const std::vector<std::string>& arguments, bool quiet) {
  // Beside bin/, where it is built as where it is installed.
  const std::string packages = binary_directory() + "/../lib/hotlap/python";
  std::error_code error;
  if (!std::filesystem::exists(packages + "/hotlap_analysis", error)) {
    return absl::NotFoundError(absl::StrCat("the analysis is not at ", packages,
                                            "/hotlap_analysis: build or install hotlap anew"));
  }
  const char* override = std::getenv("HOTLAP_PYTHON");
  std::vector<std::string> argv = {override != nullptr ? override : HOTLAP_PYTHON_PATH, "-m",
                                   "hotlap_analysis"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  ChildOptions options;
  options.quiet = quiet;
  // Bytecode beside the sources would make a read-only installation fail.
  options.environment = {absl::StrCat("PYTHONPATH=", packages), "PYTHONDONTWRITEBYTECODE=1"};
  auto code = run_child(argv, options);
  if (!code.ok()) return code.status();
  if (*code == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the analysis exited with code ", *code));
}

}  // namespace hotlap::cli
