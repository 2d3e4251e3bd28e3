// What the samples of a profile say: added up, charged, priced, and the functions that changed most
// annotated.
#ifndef HOTLAP_HARNESS_AGENT_PROFILE_FINDINGS_H_
#define HOTLAP_HARNESS_AGENT_PROFILE_FINDINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "harness/profile/tally.h"
#include "harness/proto/profile.pb.h"
#include "harness/targets/spawner.h"

namespace hotlap::agent {

struct SampledArm {
  std::vector<profile::Turn> turns;
  std::string script;        // as perf script wrote it
  std::string call_graph;    // as perf calls it
  uint32_t every = 1;        // the stack of every so many-th event was taken
  std::string wake_ups;      // likewise, of wake-ups; may be empty
  absl::Status no_wake_ups;  // why there are none
};

// Fills in what follows from the samples; the arms of `profile` stand there, with what was asked.
// FAILED_PRECONDITION: an arm has no sample.
absl::Status fill_findings(targets::Spawner& spawner, const std::string& directory,
                           std::vector<SampledArm> sampled, hotlap::v1::Profile& profile);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_PROFILE_FINDINGS_H_
