// A view's tables: what stages, sites and the whole cost a request in each amount, of one arm or of
// two side by side, with the errors of turn_sums.h.
#ifndef HOTLAP_HARNESS_PROFILE_VIEW_AMOUNTS_H_
#define HOTLAP_HARNESS_PROFILE_VIEW_AMOUNTS_H_

#include <vector>

#include "harness/profile/view_tally.h"
#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

inline constexpr char kOffCpuView[] = "off-cpu";
inline constexpr char kHeapView[] = "heap";

// Fills in rows and totals of a view whose name is set. One or two arms as in stage_costs().
void fill_amounts(const std::vector<const ViewTally*>& arms, hotlap::v1::View& view);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_VIEW_AMOUNTS_H_
