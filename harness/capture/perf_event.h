// From the name of an event to what perf_event_open wants, and why it could not be opened. The
// part of perf counters that knows the kernel's interface; see perf_counter.h for counting.
#ifndef HOTLAP_HARNESS_CAPTURE_PERF_EVENT_H_
#define HOTLAP_HARNESS_CAPTURE_PERF_EVENT_H_

#include <linux/perf_event.h>
#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::capture {

// Type and config of the event; the rest of the attributes is zero but for the size.
absl::StatusOr<perf_event_attr> resolve_event(const std::string& event);

// Whether the event counts in the kernel alone, so that nothing is left without that permission.
bool is_hardware(const perf_event_attr& attributes);

// perf_event_open on `pid`, all CPUs. Where the kernel's side is forbidden
// (perf_event_paranoid >= 2, no CAP_PERFMON) a hardware event is refused with that reason and not
// counted by half. Errors name the event and the remedy.
absl::StatusOr<UniqueFd> open_event(const std::string& event, perf_event_attr attributes, pid_t pid,
                                    int group_fd);

// OK where an event may be sampled in a process of ours, the kernel's side included; else why not,
// with the remedy.
absl::Status try_sampling(const std::string& event);

// -1 to 4; 4 where the kernel has no perf at all.
int perf_event_paranoid();

// How to allow what `paranoid_needed` stands for.
std::string paranoid_remedy(int paranoid_needed);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_PERF_EVENT_H_
