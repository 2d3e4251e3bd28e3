// An audit as plain text, for a terminal and for audit-*.txt: one target's courses, or two as a
// patch.
#ifndef HOTLAP_HARNESS_AUDIT_AUDIT_TEXT_H_
#define HOTLAP_HARNESS_AUDIT_AUDIT_TEXT_H_

#include <string>

#include "harness/proto/audit.pb.h"

namespace hotlap::audit {

// All phases of one target.
std::string arm_text(const hotlap::v1::ArmAudit& arm);

// `b` against `a`: connection, first and later requests as a unified diff with the calls a request
// beside each line, then the calls by name, start-up and shutdown by name alone.
std::string difference_text(const hotlap::v1::ArmAudit& a, const hotlap::v1::ArmAudit& b);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_AUDIT_TEXT_H_
