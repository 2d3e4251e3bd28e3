// A program that watches a target, such as strace or perf: it is no server, sees the host's pids
// (no namespace of its own), and dies with the Spawner all the same.
#ifndef HOTLAP_HARNESS_TARGETS_COMPANION_H_
#define HOTLAP_HARNESS_TARGETS_COMPANION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace hotlap::targets {

struct CompanionOptions {
  std::string name;               // as messages call it
  std::vector<std::string> argv;  // the program is looked for in PATH
  std::vector<int> cpus;          // its affinity; empty: as inherited
  // Whether the first line that it prints, on either stream, says that it is at work. Empty: it is
  // as soon as it runs.
  std::function<bool(const std::string& line)> is_ready;
  absl::Duration timeout = absl::Seconds(10);
};

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_COMPANION_H_
