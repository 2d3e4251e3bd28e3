// The load generator alone, for `hotlap load`: one arm, closed or open loop, told as it goes.
#ifndef HOTLAP_HARNESS_AGENT_PLAIN_LOAD_H_
#define HOTLAP_HARNESS_AGENT_PLAIN_LOAD_H_

#include <functional>

#include "absl/status/status.h"
#include "harness/agent/cancellation.h"
#include "harness/proto/control.pb.h"

namespace hotlap::agent {

// Gives a line about every second and the result as the last; `tell` returns false when nobody
// listens any more, which ends the load. Where connections are missing the result says so, and
// nothing was sent. A `stop` that is raised ends the load as its time would have: its result
// follows.
absl::Status plain_load(const hotlap::v1::LoadRequest& request, Cancellation& cancellation,
                        Cancellation& stop,
                        const std::function<bool(const hotlap::v1::LoadResponse&)>& tell);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_PLAIN_LOAD_H_
