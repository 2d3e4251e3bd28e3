// A file that a flag names, read whole.
#ifndef HOTLAP_HARNESS_AGENT_FILE_TEXT_H_
#define HOTLAP_HARNESS_AGENT_FILE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"

namespace hotlap::agent {

// Fails with the flag, the path, and what the system said: also of a directory.
absl::StatusOr<std::string> read_file(const std::string& flag, const std::string& path);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_FILE_TEXT_H_
