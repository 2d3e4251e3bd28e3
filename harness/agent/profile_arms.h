// One or two targets sampled by perf under load: launched, warmed, then loaded in short turns, one
// arm after the other in changing order, so that both meet the same drift. Only samples between the
// edges at which requests and CPU time are counted are kept. Takes the asked time of load for each
// arm, and about as long again to read the samples.
#ifndef HOTLAP_HARNESS_AGENT_PROFILE_ARMS_H_
#define HOTLAP_HARNESS_AGENT_PROFILE_ARMS_H_

#include "absl/status/statusor.h"
#include "harness/agent/cancellation.h"
#include "harness/proto/control.pb.h"

namespace hotlap::agent {

// Errors name the arm; NOT_FOUND and PERMISSION_DENIED of perf say what to do. CANCELLED when that
// was raised, with targets and perf ended.
absl::StatusOr<hotlap::v1::Profile> profile_arms(const hotlap::v1::ProfileRequest& request,
                                                 Cancellation& cancellation);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_PROFILE_ARMS_H_
