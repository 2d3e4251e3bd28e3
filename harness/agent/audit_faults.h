// One target's page faults, each with its place and its code: launched, asked once, then recorded
// by perf while it serves the rest of the requests over the same connection. Takes some seconds,
// most of them for the source lines.
#ifndef HOTLAP_HARNESS_AGENT_AUDIT_FAULTS_H_
#define HOTLAP_HARNESS_AGENT_AUDIT_FAULTS_H_

#include <cstdint>

#include "harness/agent/cancellation.h"
#include "harness/agent/seat.h"
#include "harness/proto/audit.pb.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::agent {

// Of the only arm of `experiment`, an effective one. What cannot be had is `unavailable` with the
// reason: the audit of calls stands by itself.
hotlap::v1::AuditFaults audit_faults(Seat& seat, const hotlap::v1::Experiment& experiment,
                                     uint32_t requests, Cancellation& cancellation);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_AUDIT_FAULTS_H_
