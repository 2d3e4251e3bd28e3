// `perf record` of every page fault of a target's processes, with stacks: attached while it runs,
// ended before it does. A fault costs the target some 20 microseconds then; nothing is timed.
#ifndef HOTLAP_HARNESS_AUDIT_FAULT_RECORD_H_
#define HOTLAP_HARNESS_AUDIT_FAULT_RECORD_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/targets/spawner.h"

namespace hotlap::audit {

class FaultRecord {
 public:
  // Returns once faults of `processes`, and of what they will start, are recorded; files are
  // written in `directory`. NOT_FOUND: there is no perf; FAILED_PRECONDITION: what it said.
  static absl::StatusOr<std::unique_ptr<FaultRecord>> attach(targets::Spawner& spawner,
                                                             const std::vector<pid_t>& processes,
                                                             const std::string& directory);

  // Ends the recording and returns its samples for read_fault_script().
  absl::StatusOr<std::string> take_script();

 private:
  FaultRecord(targets::Spawner& spawner, std::unique_ptr<targets::TargetProcess> process,
              std::string directory)
      : spawner_(spawner), process_(std::move(process)), directory_(std::move(directory)) {}

  targets::Spawner& spawner_;
  std::unique_ptr<targets::TargetProcess> process_;
  std::string directory_;
};

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_FAULT_RECORD_H_
