// How long the phases of a round are: slices, blocks a set, sets, warm-up.
#ifndef HOTLAP_HARNESS_AGENT_ROUND_LENGTHS_H_
#define HOTLAP_HARNESS_AGENT_ROUND_LENGTHS_H_

#include <cstdint>
#include <string>

#include "harness/proto/experiment.pb.h"

namespace hotlap::agent {

inline constexpr char kTimingPass[] = "timing";
inline constexpr char kCountingPass[] = "counting";
// Perf events that were asked for, under the whole workload and with no other counter.
inline constexpr char kEventsPass[] = "events";
// The first arm against itself, with and without the counters of the counting pass.
inline constexpr char kCostPass[] = "cost";

struct RoundLengths {
  int64_t slice_ns;
  uint32_t sets;
  uint32_t blocks_per_set;
  uint32_t warmup_blocks;
};

// By the plan; the counting pass has short lengths of its own, since each request costs the same
// calls however long one counts, and the passes of events and of cost have few sets.
RoundLengths round_lengths(const hotlap::v1::Experiment& experiment, const std::string& pass);

// The workload of a pass: counts are exact at one connection only.
hotlap::v1::Workload pass_workload(const hotlap::v1::Experiment& experiment,
                                   const std::string& pass);

// The same for one of its rounds: random ids are drawn anew, alike for all arms.
hotlap::v1::Workload round_workload(const hotlap::v1::Experiment& experiment,
                                    const std::string& pass, uint32_t index);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_ROUND_LENGTHS_H_
