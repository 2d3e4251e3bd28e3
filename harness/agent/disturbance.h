// What disturbed a round: steal, other load on the servers' CPUs, and a generator that others held
// up, from the machine's tick accounting before and after.
#ifndef HOTLAP_HARNESS_AGENT_DISTURBANCE_H_
#define HOTLAP_HARNESS_AGENT_DISTURBANCE_H_

#include <cstdint>
#include <optional>

#include "harness/capture/steal.h"
#include "harness/proto/results.pb.h"
#include "harness/targets/placement.h"

namespace hotlap::agent {

// The machine at one moment; absent where /proc/stat could not be read.
struct MachineTimes {
  std::optional<capture::CpuTimes> servers;
  std::optional<capture::CpuTimes> load;
};
MachineTimes read_machine(const targets::Placement& placement);

// CPU time of ours between the two moments.
struct OwnTimes {
  std::optional<int64_t> arms_ns;  // nothing where an arm is not counted
  int64_t generator_ns = 0;
};

// Fills in the round's disturbances and, where they are too large, why it is void.
void judge_environment(const targets::Placement& placement, const MachineTimes& before,
                       const MachineTimes& after, const OwnTimes& own, hotlap::v1::Round& round);

// What of `excess_ns` is no mere error of sampling. Busy time is sampled by the tick, each of n
// ticks a coin of variance at most a quarter: within three standard deviations of that there is no
// evidence of another load.
int64_t beyond_sampling_ns(int64_t excess_ns, int64_t duration_ns, size_t cpus);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_DISTURBANCE_H_
