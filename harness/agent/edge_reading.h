// What is read of an arm where load begins and ends, and how two readings add up to what the arm
// did between them. A clock at every slice; the dearer counters at the edges of sets only.
#ifndef HOTLAP_HARNESS_AGENT_EDGE_READING_H_
#define HOTLAP_HARNESS_AGENT_EDGE_READING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/agent/arm_process.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

// An absent value is one that the arm does not have.
struct EdgeReading {
  std::optional<int64_t> cpu_ns;
  std::optional<int64_t> syscalls;
  // At the edges of sets only.
  std::optional<std::vector<int64_t>> named_syscalls;
  std::optional<capture::AllocationTotals> allocations;
  std::optional<int64_t> cgroup_cpu_ns;
  std::vector<int64_t> events;
};

// `counting`: in the counting pass, in which the arm is waited for until its calls stand still.
EdgeReading read_edge(const ArmProcess& arm, bool counting);
EdgeReading read_set_edge(const ArmProcess& arm, bool counting);

// Adds what happened between the edges of a set to `sum`; `calls` and `events` are the names of
// what was counted.
void add_set(const EdgeReading& begin, const EdgeReading& end,
             const std::vector<std::string>& calls, const std::vector<std::string>& events,
             hotlap::v1::ArmRound& sum);
// Adds calls by name, of which `names` are told apart.
void add_calls(const std::map<std::string, int64_t>& calls, const std::vector<std::string>& names,
               hotlap::v1::ArmRound& sum);
void add_sample(const capture::ProcessSample& before, const capture::ProcessSample& now,
                hotlap::v1::ArmRound& sum);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_EDGE_READING_H_
