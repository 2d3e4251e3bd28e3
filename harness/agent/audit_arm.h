// One target's system calls, a request at a time: launched under a tracer, one connection, each
// request sent when the target sleeps again, then a stretch without load, then its end. Takes a few
// hundred milliseconds, the idle stretch on top; nothing in it is timed.
#ifndef HOTLAP_HARNESS_AGENT_AUDIT_ARM_H_
#define HOTLAP_HARNESS_AGENT_AUDIT_ARM_H_

#include "absl/status/statusor.h"
#include "harness/agent/cancellation.h"
#include "harness/proto/control.pb.h"

namespace hotlap::agent {

// Errors name the arm; those of the tracers say what to do. CANCELLED when that was raised, with
// target and tracer ended.
absl::StatusOr<hotlap::v1::AuditResponse> audit_arm(const hotlap::v1::AuditRequest& request,
                                                    Cancellation& cancellation);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_AUDIT_ARM_H_
