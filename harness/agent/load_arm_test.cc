// Errors of the load become an arm's errors, in words, and only beyond the share allowed.
#include "harness/agent/load_arm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

using testing::HasSubstr;

hotlap::v1::ErrorCounts counts(int64_t started, int64_t ok, int64_t reset, int64_t timeout) {
  hotlap::v1::ErrorCounts message;
  message.set_started(started);
  message.set_ok(ok);
  message.set_reset(reset);
  message.set_timeout(timeout);
  return message;
}

TEST(CheckErrors, NamesTheArmAndEveryClass) {
  const absl::Status status = check_errors("b", counts(480, 468, 10, 2), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            "arm b: 12 of 480 requests failed (10 reset, 2 timeout)");
}

TEST(CheckErrors, AllowsTheShareThatWasAllowedAndNoMore) {
  EXPECT_TRUE(check_errors("a", counts(100, 100, 0, 0), 0).ok());
  EXPECT_TRUE(check_errors("a", counts(100, 99, 1, 0), 0.01).ok());
  EXPECT_FALSE(check_errors("a", counts(100, 98, 2, 0), 0.01).ok());
}

TEST(AddCounts, KeepsEveryClassApartAndSums) {
  load::Counts one;
  one.started = 8;
  for (size_t i = 0; i < load::kOutcomes; ++i) one.by_outcome[i] = 1;
  hotlap::v1::ErrorCounts sum;
  add_counts(one, sum);
  add_counts(one, sum);
  EXPECT_EQ(sum.started(), 16);
  EXPECT_EQ(sum.ok() + sum.unexpected_status() + sum.unexpected_body() + sum.connect() +
                sum.reset() + sum.timeout() + sum.protocol() + sum.tls() + sum.in_flight(),
            2 * (static_cast<int64_t>(load::kOutcomes) - 1));  // all but the open loop's own
  EXPECT_EQ(sum.in_flight(), 2);
}

TEST(LoadArm, TakesTheWorkloadOver) {
  hotlap::v1::Workload workload;
  auto* request = workload.add_requests();
  request->set_method("POST");
  request->set_target("/echo");
  request->set_body("abc");
  request->set_expected_status(201);
  request->set_expected_body("xyz");
  workload.add_requests()->set_target("/address");
  workload.set_connections(7);
  workload.set_keep_alive(false);
  workload.set_timeout_ms(250);
  const auto spec = load_arm("127.0.0.1:80", workload);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->connections, 7);
  EXPECT_FALSE(spec->keep_alive);
  EXPECT_EQ(spec->timeout_ns, 250'000'000);
  ASSERT_EQ(spec->requests.size(), 2u);
  EXPECT_EQ(spec->requests[0].body_rule, load::BodyRule::kExact);
  EXPECT_EQ(spec->requests[0].expected_status, 201);
  EXPECT_EQ(spec->requests[1].body_rule, load::BodyRule::kLearnedPerConnection);
}

TEST(LoadArm, MakesUpABodyAndKnowsWhatIsExpected) {
  hotlap::v1::Workload workload;
  auto* request = workload.add_requests();
  request->set_generated_body_bytes(1000);
  request->set_expected_length(5);
  workload.add_requests()->set_expected_sha256(std::string(32, 'h'));
  const auto spec = load_arm("127.0.0.1:80", workload);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->requests[0].body.size(), 1000U);
  EXPECT_EQ(spec->requests[0].body, load_arm("127.0.0.1:80", workload)->requests[0].body);
  EXPECT_EQ(spec->requests[0].body_rule, load::BodyRule::kAny);
  EXPECT_EQ(spec->requests[0].expected_length, 5U);
  EXPECT_EQ(spec->requests[1].body_rule, load::BodyRule::kLearned);
  EXPECT_EQ(spec->requests[1].expected_sha256, std::string(32, 'h'));
  EXPECT_EQ(spec->requests[1].expected_length, std::nullopt);
}

TEST(AddCounts, SaysWhatWasWaitedFor) {
  load::Counts one;
  one.by_outcome[static_cast<size_t>(load::Outcome::kTimeout)] = 6;
  one.timeout(load::Wait::kConnection) = 1;
  one.timeout(load::Wait::kFirstByte) = 2;
  one.timeout(load::Wait::kWholeReply) = 3;
  hotlap::v1::ErrorCounts sum;
  add_counts(one, sum);
  EXPECT_EQ(sum.timeout_connect(), 1);
  EXPECT_EQ(sum.timeout_first_byte(), 2);
  EXPECT_EQ(sum.timeout_whole(), 3);
  EXPECT_EQ(sum.timeout(), 6);
}

TEST(LoadArm, BodiesMayDifferFromIdToId) {
  hotlap::v1::Workload workload;
  workload.mutable_ids()->set_last(9);
  for (const char* target : {"/a/{id}", "/fixed", "/b/{id}"}) {
    workload.add_requests()->set_target(target);
  }
  workload.mutable_requests(2)->set_same_body(true);
  const auto spec = load_arm("127.0.0.1:80", workload);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->requests[0].body_rule, load::BodyRule::kAny);
  EXPECT_EQ(spec->requests[1].body_rule, load::BodyRule::kLearned);
  EXPECT_EQ(spec->requests[2].body_rule, load::BodyRule::kLearned);
  ASSERT_TRUE(spec->ids);
  EXPECT_EQ(spec->ids->last, 9u);
}

TEST(LoadArm, ALogThatCannotBeReadIsAnError) {
  hotlap::v1::Workload workload;
  workload.add_requests()->set_target("/");
  workload.mutable_replay()->set_path("/nonexistent.log");
  EXPECT_THAT(std::string(load_arm("127.0.0.1:80", workload).status().message()),
              HasSubstr("/nonexistent.log"));
}

TEST(LoadArm, ABadEndpointIsAnError) {
  EXPECT_FALSE(load_arm("nowhere", hotlap::v1::Workload()).ok());
}

}  // namespace
}  // namespace hotlap::agent
