// A short helper program, run to its end with our standard streams, or its output kept; it dies
// with us.
#ifndef HOTLAP_HARNESS_CLI_CHILD_PROCESS_H_
#define HOTLAP_HARNESS_CLI_CHILD_PROCESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::cli {

struct ChildOptions {
  std::vector<std::string> environment;  // "NAME=value", added to ours
  bool quiet = false;                    // its standard output goes to /dev/null
  std::string* output = nullptr;         // or it is appended here
};

// The exit code; a signal is an error, and so is a program that cannot be started.
absl::StatusOr<int> run_child(const std::vector<std::string>& argv, const ChildOptions& options);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_CHILD_PROCESS_H_
