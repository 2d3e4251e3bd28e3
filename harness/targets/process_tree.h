// The live descendants of a process, from /proc. Free of Abseil, for the launcher uses it too.
#ifndef HOTLAP_HARNESS_TARGETS_PROCESS_TREE_H_
#define HOTLAP_HARNESS_TARGETS_PROCESS_TREE_H_

#include <sys/types.h>

#include <optional>
#include <vector>

namespace hotlap::targets {

// Children, grandchildren and so on, parents before their children, without `root` itself and
// without zombies (whose live children are still found). A process forked during the walk may be
// missed. One pass over /proc where the kernel lists no children of a task.
std::vector<pid_t> descendants(pid_t root);

struct ProcessStat {
  char state = '?';  // R, S, D, T, Z, …
  pid_t parent = 0;
};

// Nothing when there is no such process.
std::optional<ProcessStat> read_process_stat(pid_t pid);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_PROCESS_TREE_H_
