// Paths of equal length from which one program can run (<directory>/p0/NAME, p1/NAME, …), so that
// which arm gets which path is a role that can be drawn: a path's length and place shift stack and
// page-cache layout. Hard links where possible, copies across devices. Removed at the end.
#ifndef HOTLAP_HARNESS_TARGETS_STAGED_PROGRAM_H_
#define HOTLAP_HARNESS_TARGETS_STAGED_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::targets {

class StagedProgram {
 public:
  // `directory` must exist and be private to the run. 1 <= slots <= 10, so that lengths agree.
  static absl::StatusOr<StagedProgram> create(const std::string& program,
                                              const std::string& directory, int slots = 2);

  ~StagedProgram();
  StagedProgram(StagedProgram&& other) noexcept;
  StagedProgram& operator=(StagedProgram&& other) noexcept;

  int slots() const { return static_cast<int>(paths_.size()); }
  const std::string& path(int slot) const { return paths_.at(slot); }

 private:
  StagedProgram() = default;
  void remove();

  std::vector<std::string> paths_;
  std::vector<std::string> directories_;
};

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_STAGED_PROGRAM_H_
