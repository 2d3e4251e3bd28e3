// Companions that are run to their end (perf script, objdump), their standard output in a file;
// they die with the Spawner.
#ifndef HOTLAP_HARNESS_TARGETS_TOOL_H_
#define HOTLAP_HARNESS_TARGETS_TOOL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "harness/targets/spawner.h"

namespace hotlap::targets {

// What `argv` printed, kept in `file` meanwhile. The program is looked for in PATH: NOT_FOUND where
// it is not there, DEADLINE_EXCEEDED, or FAILED_PRECONDITION with what it wrote to standard error.
absl::StatusOr<std::string> run_tool(Spawner& spawner, const std::vector<std::string>& argv,
                                     const std::string& file, absl::Duration patience);

// Whether PATH has such a program.
bool in_path(const std::string& program);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_TOOL_H_
