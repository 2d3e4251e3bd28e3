// strace at work on one target: attached while the target waits before its exec, so that nothing of
// it is missed and its command line stays as it is; writes to a file that is read once the target
// has ended. strace makes a traced process several times slower: nothing is timed under it. It dies
// with the Spawner, as targets do.
#ifndef HOTLAP_HARNESS_AUDIT_STRACE_H_
#define HOTLAP_HARNESS_AUDIT_STRACE_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "harness/targets/spawner.h"

namespace hotlap::audit {

class Strace {
 public:
  // Returns once every call of `task`, and of all that it will start, is traced into `file`. For
  // LaunchOptions::before_exec, with LaunchOptions::traceable set. NOT_FOUND: there is no strace;
  // PERMISSION_DENIED: it may not trace here; both with the remedy.
  static absl::StatusOr<std::unique_ptr<Strace>> attach(targets::Spawner& spawner, pid_t task,
                                                        const std::string& file);

  // The whole trace. Call it when the target has ended; waits for strace to have written it.
  absl::StatusOr<std::string> take_trace();

 private:
  Strace(std::unique_ptr<targets::TargetProcess> process, std::string file)
      : process_(std::move(process)), file_(std::move(file)) {}

  std::unique_ptr<targets::TargetProcess> process_;
  std::string file_;
};

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_STRACE_H_
