// How the asked time is divided, and requests that are refused before anything is started.
#include "harness/agent/profile_arms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/agent/profile_settings.h"

namespace hotlap::agent {
namespace {

using ::testing::HasSubstr;

std::string refusal(const hotlap::v1::ProfileRequest& request) {
  Cancellation cancellation;
  const auto profile = profile_arms(request, cancellation);
  EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(profile.status().message());
}

hotlap::v1::ProfileRequest request_of(int arms) {
  hotlap::v1::ProfileRequest request;
  for (int i = 0; i < arms; ++i) {
    request.add_arms()->set_name(std::string(1, static_cast<char>('a' + i)));
    request.mutable_arms(i)->mutable_target()->set_pipeline("fast");
  }
  return request;
}

TEST(ProfileArms, TurnsAreATenthOfASecond) {
  EXPECT_EQ(plan_turns(5'000'000'000).turns, 50u);
  EXPECT_EQ(plan_turns(5'000'000'000).turn_ns, 100'000'000);
  EXPECT_EQ(plan_turns(200'000'000).turns, 10u) << "enough for an error";
  EXPECT_EQ(plan_turns(200'000'000).turn_ns, 20'000'000);
  EXPECT_EQ(plan_turns(600'000'000'000).turns, 200u);
  EXPECT_EQ(plan_turns(600'000'000'000).turn_ns, 3'000'000'000);
}

TEST(ProfileArms, BadRequestsAreRefusedInWords) {
  EXPECT_THAT(refusal(request_of(0)), HasSubstr("one target or of two"));
  EXPECT_THAT(refusal(request_of(3)), HasSubstr("one target or of two"));
  auto request = request_of(2);
  request.mutable_arms(1)->mutable_target()->set_url("http://127.0.0.1:80");
  EXPECT_THAT(refusal(request), HasSubstr("arm b: a url target has no process"));
  request = request_of(1);
  request.set_duration_s(0);
  EXPECT_THAT(refusal(request), HasSubstr("a duration of 0 s: it takes 0.1 to 600"));
  request.set_duration_s(1);
  request.set_call_graph("lbr");
  EXPECT_THAT(refusal(request), HasSubstr("\"lbr\" is neither fp nor dwarf"));
  request.set_call_graph("fp");
  request.set_frequency_hz(0);
  EXPECT_THAT(refusal(request), HasSubstr("this kernel allows 1 to "));
  request.set_frequency_hz(2'000'000'000);
  EXPECT_THAT(refusal(request), HasSubstr("perf_event_max_sample_rate=2000000000"));
}

}  // namespace
}  // namespace hotlap::agent
