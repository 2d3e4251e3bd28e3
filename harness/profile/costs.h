// What stages and functions cost a request, of one arm or of two side by side, and how sure that
// is. An arm's cost is its share of the samples times CPU time by requests; errors are those of
// turn_sums.h.
#ifndef HOTLAP_HARNESS_PROFILE_COSTS_H_
#define HOTLAP_HARNESS_PROFILE_COSTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/profile/tally.h"
#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// One or two arms, each with samples, CPU time and requests, and as many turns; turn i of one
// stood beside turn i of the other. Rows by change, the largest first; of one arm by cost.
std::vector<hotlap::v1::Cost> stage_costs(const std::vector<const Tally*>& arms);
std::vector<hotlap::v1::Cost> function_costs(const std::vector<const Tally*>& arms);
std::vector<hotlap::v1::Cost> system_call_costs(const std::vector<const Tally*>& arms);

// All of it: CPU time by requests.
hotlap::v1::Cost total_cost(const std::vector<const Tally*>& arms);

// Half the width of a 95 % interval, from a standard error over turns; nothing where they give
// none.
std::optional<double> half_of_interval(uint32_t turns, bool known, double standard_error);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_COSTS_H_
