// Inherited perf_event counters on a process that has not yet exec'd: they begin at its exec and
// sum all its threads and children, live. One read() of the group where the kernel allows groups
// with inheritance, else one per event; 9-17 microseconds. What cannot be opened is reported as
// unavailable with the reason, and never as zero.
//
// Events by name: software "task-clock" (ns), "page-faults", "minor-faults", "major-faults",
// "context-switches", "cpu-migrations"; "syscalls" (the tracepoint raw_syscalls:sys_enter) and any
// other tracepoint as "system:name"; "instructions", "cycles", and all else that libpfm4 knows.
#ifndef HOTLAP_HARNESS_CAPTURE_PERF_COUNTER_H_
#define HOTLAP_HARNESS_CAPTURE_PERF_COUNTER_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/capture/tracefs.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::capture {

enum class CounterStart {
  kOnExec,  // the process waits before its exec
  kNow,     // the process is stopped or blocked, and what it does from now on counts
};

class PerfCounters {
 public:
  // Opens what can be opened. An error only if `pid` does not exist or `events` is empty: see
  // unavailable() for the rest.
  static absl::StatusOr<PerfCounters> open(pid_t pid, const std::vector<std::string>& events,
                                           CounterStart start = CounterStart::kOnExec);

  PerfCounters(PerfCounters&&) = default;
  PerfCounters& operator=(PerfCounters&&) = default;

  // One value per event asked for, in that order; nothing where unavailable. An event that was
  // multiplexed (not on the PMU all the time) is refused with an error: a scaled count is a guess.
  absl::StatusOr<std::vector<std::optional<int64_t>>> read() const;

  const std::vector<std::string>& events() const { return events_; }
  const std::map<std::string, std::string>& unavailable() const { return unavailable_; }
  bool available(const std::string& event) const { return !unavailable_.contains(event); }

 private:
  struct Opened {
    size_t index;  // into events_
    uint64_t id;
    UniqueFd fd;
  };
  // Events that the kernel schedules together: software and tracepoints, or those of the PMU.
  struct Group {
    std::vector<Opened> members;  // the leader first
    bool read_at_once = false;
  };
  using Values = std::vector<std::optional<int64_t>>;

  PerfCounters() = default;

  absl::Status open_group(pid_t pid, const std::vector<size_t>& wanted, CounterStart start,
                          bool read_at_once);
  absl::Status read_group(const Group& group, Values& values) const;
  absl::Status read_singly(const Group& group, Values& values) const;
  absl::Status check_whole(size_t index, uint64_t enabled_ns, uint64_t running_ns) const;

  std::vector<std::string> events_;
  std::map<std::string, std::string> unavailable_;
  std::vector<Group> groups_;
};

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_PERF_COUNTER_H_
