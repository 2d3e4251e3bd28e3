// Whether processes rest: every thread of theirs sleeps in the kernel, waiting for something to
// happen. On loopback, where a sent byte is delivered within the send, a target that sleeps has
// done all that its last request asked for. Tens of microseconds a thread, from /proc.
#ifndef HOTLAP_HARNESS_CAPTURE_ASLEEP_H_
#define HOTLAP_HARNESS_CAPTURE_ASLEEP_H_

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <vector>

namespace hotlap::capture {

// Threads that run, wait for a CPU or for a disk, or are stopped by a tracer do not rest; processes
// that have ended do.
bool all_asleep(const std::vector<pid_t>& processes);

// Looks until two looks in a row find all of `processes()` asleep, at most `patience`; whether they
// were. `goes_on` ends the wait early.
bool await_asleep(const std::function<std::vector<pid_t>()>& processes,
                  std::chrono::nanoseconds patience, const std::function<bool()>& goes_on);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_ASLEEP_H_
