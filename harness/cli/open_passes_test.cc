// Open passes in words, and when they are compared.
#include "harness/cli/open_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace hotlap::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;

hotlap::v1::Run run_of_two() {
  hotlap::v1::Run run;
  for (const char* name : {"a", "b"}) run.mutable_effective()->add_arms()->set_name(name);
  auto& passes = *run.mutable_effective()->mutable_open_passes();
  passes.mutable_loop()->set_rate_per_s(1000);
  passes.set_pass_s(5);
  return run;
}

hotlap::v1::OpenPass& add_pass(hotlap::v1::Run& run, double a_ms, double b_ms) {
  hotlap::v1::OpenPass& pass = *run.add_open_passes();
  pass.set_index(static_cast<uint32_t>(run.open_passes_size() - 1));
  // As loaded: the second arm first.
  for (const auto& [arm, ms] : {std::pair<uint32_t, double>{1, b_ms}, {0, a_ms}}) {
    auto& one = *pass.add_arms();
    one.set_arm(arm);
    one.mutable_counts()->set_started(1000);
    one.mutable_counts()->set_ok(1000);
    one.set_sending_s(1);
    one.mutable_response()->set_p50_ns(kMs);
    one.mutable_response()->set_p99_ns(std::llround(ms * kMs));
    one.mutable_response()->set_max_ns(std::llround(2 * ms * kMs));
  }
  return pass;
}

TEST(OpenPasses, FiveAreShownAndSixAreCompared) {
  hotlap::v1::Run run = run_of_two();
  for (int i = 0; i < 5; ++i) add_pass(run, 2 + 0.1 * i, 2 * (2 + 0.1 * i));
  EXPECT_THAT(compare_open_passes(run), IsEmpty());
  EXPECT_THAT(open_passes_text(run), HasSubstr("descriptive only"));
  add_pass(run, 3, 6);
  const auto found = compare_open_passes(run);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].quantile(), "p99");
  EXPECT_EQ(found[1].arm(), "b");
  EXPECT_EQ(found[1].passes(), 6U);
  EXPECT_NEAR(found[1].estimate_percent(), 100, 1e-6);
  EXPECT_NEAR(found[1].interval_low_percent(), 100, 1e-6);
  EXPECT_LT(found[1].p(), 0.05);
  EXPECT_NEAR(found[0].estimate_percent(), 0, 1e-9) << "the medians are equal";
}

TEST(OpenPasses, VoidOnesAndThoseWithoutAQuantileDoNotCount) {
  hotlap::v1::Run run = run_of_two();
  for (int i = 0; i < 6; ++i) add_pass(run, 2 + 0.1 * i, 3);
  run.mutable_open_passes(2)->set_void_cause("steal");
  EXPECT_THAT(compare_open_passes(run), IsEmpty());
  add_pass(run, 2, 3).mutable_arms(0)->mutable_response()->clear_p99_ns();
  const auto found = compare_open_passes(run);
  ASSERT_EQ(found.size(), 1U) << "six medians, five p99";
  EXPECT_EQ(found[0].quantile(), "p50");
  EXPECT_THAT(open_pass_notes(run), ElementsAre("open pass 3 is void: steal"));
}

TEST(OpenPasses, WhatWasNotSentIsTold) {
  hotlap::v1::Run run = run_of_two();
  auto& arm = *add_pass(run, 2, 3).mutable_arms(0);
  arm.mutable_counts()->set_ok(900);
  arm.mutable_counts()->set_never_sent(100);
  arm.mutable_pacing()->set_lateness_p99_ns(5 * kMs);
  EXPECT_THAT(open_pass_notes(run),
              ElementsAre(HasSubstr("open pass 1, arm b: only 90.0 % of the asked rate"),
                          HasSubstr("the generator itself was late")));
  EXPECT_THAT(open_passes_text(run), HasSubstr("90.0 %"));
}

TEST(OpenPasses, ShortOnesAndMissingOnesAreTold) {
  hotlap::v1::Run run = run_of_two();
  run.mutable_effective()->mutable_open_passes()->set_pass_s(0.5);
  run.mutable_effective()->mutable_open_passes()->set_passes(2);
  add_pass(run, 2, 3);
  EXPECT_THAT(open_pass_notes(run), ElementsAre(HasSubstr("passes of 0.5 s are short"),
                                                HasSubstr("only 1 of 2 open passes count")));
}

TEST(OpenPasses, TheTableFitsAndTheObjectHasTheSame) {
  hotlap::v1::Run run = run_of_two();
  EXPECT_EQ(open_passes_text(run), "");
  EXPECT_EQ(open_passes_json(run), "null");
  add_pass(run, 2, 1500).mutable_arms(1)->mutable_counts()->set_late(123'456);
  std::istringstream lines(open_passes_text(run));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(open_passes_text(run), HasSubstr("1.500 s"));
  const auto object = nlohmann::json::parse(open_passes_json(run));
  EXPECT_EQ(object["passes"].size(), 2U);
  EXPECT_EQ(object["passes"][0]["arm"], "b");
  EXPECT_EQ(object["passes"][0]["response_ns"]["p99"], 1500 * kMs);
  EXPECT_TRUE(object["passes"][0]["response_ns"]["p99.9"].is_null());
  EXPECT_TRUE(object["comparisons"].empty());
}

}  // namespace
}  // namespace hotlap::cli
