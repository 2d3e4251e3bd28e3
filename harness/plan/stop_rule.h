// When a run ends. A look is conclusive by the primary metric alone: its p at that look's alpha,
// whatever the size of the effect (going on after a small one but not after a large one would make
// a gate fire more than half the time at an effect of exactly delta), or an interval at that
// look's own alpha that lies within the margin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/plan/looks.h"
#include "harness/plan/verdict.h"

namespace hotlap::plan {

struct Decision {
  bool stop = false;
  bool early = false;             // before the last look
  bool leans = false;             // early and by significance: the estimate leans away from 0
  std::string reason;             // why it stops, or what it waits for
  double alpha = 0;               // of the look at which it stopped; of the next one otherwise
  uint32_t next_look = 0;         // rounds; 0 when stopped
  std::vector<Verdict> verdicts;  // one per Evidence, when there was a look
};

// `primary` holds the rounds so far (alpha and at_look are set here). With several arms against the
// reference, one Evidence per comparison: the run stops when each is conclusive.
absl::StatusOr<Decision> decide(const Looks& looks, const std::vector<Evidence>& primary);

}  // namespace hotlap::plan
