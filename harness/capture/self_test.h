// A capture proves itself before it counts: known work is counted by it, and any difference voids
// it with the reason. Costs about 30 ms for 100,000 calls.
#ifndef HOTLAP_HARNESS_CAPTURE_SELF_TEST_H_
#define HOTLAP_HARNESS_CAPTURE_SELF_TEST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::capture {

struct KnownCalls {
  int processes = 1;  // children of one root, all counted by inheritance
  int64_t calls_per_process = 100'000;
};

struct CallCount {
  int64_t expected = 0;  // getppid calls and what starting and ending the processes takes
  int64_t counted = 0;
};

// Counts known system calls through PerfCounters("syscalls"). Unavailable with the reason when
// the tracepoint cannot be opened.
absl::StatusOr<CallCount> count_known_calls(const KnownCalls& known);

// The same by name: getppid and wait4, of which the known processes make known numbers, by their
// own tracepoints. OK when both are exact; DataLoss when not, with the numbers.
absl::Status check_named_syscall_counting(const KnownCalls& known = {});

// OK when the count is exact; DataLoss, with both numbers, when not.
absl::Status check_syscall_counting(const KnownCalls& known = {});

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_SELF_TEST_H_
