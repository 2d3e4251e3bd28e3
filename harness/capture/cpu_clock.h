// CPU time of processes by their own clocks (clock_getcpuclockid): nanoseconds scheduled, over all
// threads, ended ones included. No permission is needed; a read is one system call per process.
// It does not see children: TreeClock sums over the processes it was given, and says when one of
// them has gone, for what that one used is then lost (use an inherited task-clock there).
#ifndef HOTLAP_HARNESS_CAPTURE_CPU_CLOCK_H_
#define HOTLAP_HARNESS_CAPTURE_CPU_CLOCK_H_

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::capture {

class ProcessClock {
 public:
  static absl::StatusOr<ProcessClock> open(pid_t pid);

  // Nanoseconds of CPU since the process began; nothing once it has been reaped.
  std::optional<int64_t> read_ns() const;

  pid_t pid() const { return pid_; }

 private:
  ProcessClock(pid_t pid, clockid_t clock) : pid_(pid), clock_(clock) {}

  pid_t pid_;
  clockid_t clock_;
};

class TreeClock {
 public:
  // At least one pid, all alive.
  static absl::StatusOr<TreeClock> open(const std::vector<pid_t>& pids);

  struct Reading {
    int64_t cpu_ns = 0;
    int vanished = 0;  // processes that could no longer be read: differences are then no CPU time
  };
  Reading read() const;

  const std::vector<ProcessClock>& clocks() const { return clocks_; }

 private:
  std::vector<ProcessClock> clocks_;
};

// CPU time of the calling thread, for load generators.
int64_t this_thread_cpu_ns();

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_CPU_CLOCK_H_
