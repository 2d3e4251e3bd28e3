// Instructions of one target for a given number of requests, counted by callgrind: exact where the
// program is, whatever the machine is busy with. It runs the target some 50 times slower.
#ifndef HOTLAP_HARNESS_AGENT_INSTRUCTION_COUNT_H_
#define HOTLAP_HARNESS_AGENT_INSTRUCTION_COUNT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "harness/agent/cancellation.h"
#include "harness/proto/control.pb.h"

namespace hotlap::agent {

// Launches the target under callgrind, sends the requests one at a time, ends it, and adds up what
// each of its processes executed from its first instruction to its last. NOT_FOUND: no valgrind.
absl::StatusOr<hotlap::v1::InstructionsResponse> count_instructions(
    const hotlap::v1::InstructionsRequest& request, Cancellation& cancellation);

// The total of a callgrind.out file ("summary:", else "totals:"); 0 where it has none.
int64_t callgrind_total(std::string_view text);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_INSTRUCTION_COUNT_H_
