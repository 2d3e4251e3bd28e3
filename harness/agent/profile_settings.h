// What is asked of a profile, checked before anything is started, with defaults in the place of
// what was left out.
#ifndef HOTLAP_HARNESS_AGENT_PROFILE_SETTINGS_H_
#define HOTLAP_HARNESS_AGENT_PROFILE_SETTINGS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/agent/profile_recording.h"
#include "harness/proto/control.pb.h"

namespace hotlap::agent {

// How the asked time is divided: turns of a tenth of a second; shorter where there would be few,
// longer where there would be very many.
struct TurnPlan {
  uint32_t turns = 0;  // of each arm
  int64_t turn_ns = 0;
};
TurnPlan plan_turns(int64_t duration_ns);

inline constexpr double kDefaultProfileS = 5;

struct ProfileSettings {
  TurnPlan turns;           // of each view
  RecordingPlan recording;  // but for the event, which is found by trying
  std::vector<ProfileView> views = {ProfileView::kCpu};
};

// What an experiment with a profile pass asks of it, of its first arm and arm `arm`.
hotlap::v1::ProfileRequest profile_request(const hotlap::v1::Experiment& experiment, int arm);

// INVALID_ARGUMENT: not one arm or two, a url, or a value out of its range, with that range.
absl::StatusOr<ProfileSettings> settle_profile(const hotlap::v1::ProfileRequest& request);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_PROFILE_SETTINGS_H_
