// Tracefs: where tracepoints have their numbers. libpfm4 looks for them below debugfs only.
#ifndef HOTLAP_HARNESS_CAPTURE_TRACEFS_H_
#define HOTLAP_HARNESS_CAPTURE_TRACEFS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::capture {

// Id of a tracepoint ("raw_syscalls:sys_enter").
absl::StatusOr<uint64_t> tracepoint_id(const std::string& event);

// Where tracefs is mounted: /sys/kernel/tracing or /sys/kernel/debug/tracing.
absl::StatusOr<std::string> find_tracefs();

// Mounts tracefs at /sys/kernel/tracing when it is not mounted yet; needs root.
absl::Status mount_tracefs();

// The same where it takes no more than being root; whoever needs tracefs then says what is amiss.
void mount_tracefs_where_allowed();

// The command that does the same.
std::string mount_tracefs_command();

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_TRACEFS_H_
