// CPU time of a cgroup, as the kernel accounts for it: of a container or a unit, whatever is in it.
// One read of a small file, some microseconds. What runs at the moment is counted up to the
// kernel's last look at it, so read it when the target sleeps.
#ifndef HOTLAP_HARNESS_CAPTURE_CGROUP_H_
#define HOTLAP_HARNESS_CAPTURE_CGROUP_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::capture {

class CgroupCpu {
 public:
  // `directory` as find_cgroup gives it. NOT_FOUND with the reason where it tells no CPU time.
  static absl::StatusOr<CgroupCpu> open(const std::string& directory);

  // CPU time since the cgroup was made, of all that ever was in it.
  absl::StatusOr<int64_t> read_ns() const;

 private:
  CgroupCpu() = default;

  UniqueFd file_;
  std::string path_;
  bool is_stat_ = false;  // cpu.stat of version 2; else cpuacct.usage
};

// Where cgroups are found: version 2 by itself or beside version 1, and the CPU accounting of
// version 1. `mounts` is /proc/self/mounts.
std::vector<std::string> cgroup_mounts(const std::string& mounts = "/proc/self/mounts");

// The directory of a cgroup by its path, absolute or below one of the mounts ("system.slice/x").
// NOT_FOUND where there is none, and names the places.
absl::StatusOr<std::string> find_cgroup(const std::string& path,
                                        const std::vector<std::string>& mounts);

// Moves a process into it, with what it will start.
absl::Status enter_cgroup(const std::string& directory, pid_t pid);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_CGROUP_H_
