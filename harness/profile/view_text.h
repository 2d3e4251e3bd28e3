// A view beyond CPU time as a terminal of 80 columns shows it.
#ifndef HOTLAP_HARNESS_PROFILE_VIEW_TEXT_H_
#define HOTLAP_HARNESS_PROFILE_VIEW_TEXT_H_

#include <string>

#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// What was recorded, each stage's amount a request, the whole, and the sites that changed (of one
// arm, have) most; then notes. `profile` has the view and says what its arms are.
std::string view_text(const hotlap::v1::Profile& profile, const hotlap::v1::View& view);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_VIEW_TEXT_H_
