// The log that a workload replays, read once for a load or a run.
#ifndef HOTLAP_HARNESS_AGENT_REPLAY_H_
#define HOTLAP_HARNESS_AGENT_REPLAY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "harness/load/replay_log.h"
#include "harness/proto/experiment.pb.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

// Null where the workload, an effective one, replays none. Errors name the file, and the line where
// there is one.
absl::StatusOr<std::shared_ptr<const load::ReplayLog>> read_replay(
    const hotlap::v1::Workload& workload);

hotlap::v1::ReplayTally tally_message(const load::ReplayLog& log);

// "replays 980 requests (12 distinct) of access.log; left out: 3 bad lines (the first is line 17:
// no time …), 5 that need a body".
std::string replay_text(const std::string& path, const hotlap::v1::ReplayTally& tally);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_REPLAY_H_
