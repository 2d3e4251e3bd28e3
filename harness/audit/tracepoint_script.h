// Entries and exits of system calls as `perf script` prints them (raw_syscalls:*,
// signal:signal_deliver, -F pid,tid,time,event,trace), as the trace that strace would have written.
// Linear in the text.
#ifndef HOTLAP_HARNESS_AUDIT_TRACEPOINT_SCRIPT_H_
#define HOTLAP_HARNESS_AUDIT_TRACEPOINT_SCRIPT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "harness/audit/descriptor_tables.h"
#include "harness/audit/trace.h"

namespace hotlap::audit {

// `port` is the target's; `inherited` are the descriptors of its first process when the recording
// began. DATA_LOSS where perf lost records: counts would be too low, and descriptors wrong.
absl::StatusOr<Trace> read_tracepoints(std::string_view script, uint16_t port,
                                       const Descriptors& inherited);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_TRACEPOINT_SCRIPT_H_
