// What was recorded for a view beyond the CPU's samples, added up, charged and told by row.
#ifndef HOTLAP_HARNESS_AGENT_PROFILE_VIEWS_H_
#define HOTLAP_HARNESS_AGENT_PROFILE_VIEWS_H_

#include <vector>

#include "absl/status/status.h"
#include "harness/agent/profile_findings.h"
#include "harness/proto/profile.pb.h"

namespace hotlap::agent {

// Adds the view "off-cpu" to a profile whose arms are named. FAILED_PRECONDITION: an arm answered
// no request while it was recorded.
absl::Status add_off_cpu(std::vector<SampledArm> sampled, hotlap::v1::Profile& profile);

// The same of the view "heap".
absl::Status add_heap(std::vector<SampledArm> sampled, hotlap::v1::Profile& profile);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_PROFILE_VIEWS_H_
