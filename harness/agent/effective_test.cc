// Defaults as they reach a run, and a sentence for every value that makes no sense.
#include "harness/agent/effective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

using hotlap::v1::Experiment;
using testing::HasSubstr;

Experiment two_arms() {
  Experiment experiment;
  for (const char* name : {"a", "b"}) {
    auto* arm = experiment.add_arms();
    arm->set_name(name);
    arm->mutable_target()->set_pipeline("fast");
  }
  return experiment;
}

std::string error_of(const Experiment& experiment) {
  return std::string(effective_experiment(experiment).status().message());
}

TEST(EffectiveExperiment, FillsEveryDefault) {
  const auto effective = effective_experiment(two_arms());
  ASSERT_TRUE(effective.ok()) << effective.status();
  EXPECT_EQ(effective->workload().connections(), 16u);
  EXPECT_EQ(effective->workload().requests(0).target(), "/hello");
  EXPECT_EQ(effective->workload().requests(0).method(), "GET");
  EXPECT_TRUE(effective->workload().keep_alive());
  EXPECT_DOUBLE_EQ(effective->plan().slice_ms(), 5);
  EXPECT_EQ(effective->plan().sets(), 4u);
  EXPECT_DOUBLE_EQ(effective->plan().set_ms(), 200);
  EXPECT_DOUBLE_EQ(effective->margin_percent(), 0.5);
  EXPECT_EQ(effective->primary_metric(), "cpu_per_request");
  EXPECT_TRUE(effective->has_seed());
}

TEST(EffectiveExperiment, KeepsWhatWasAsked) {
  Experiment experiment = two_arms();
  experiment.set_seed(0);
  experiment.mutable_plan()->set_warmup_ms(0);
  experiment.mutable_workload()->set_keep_alive(false);
  const auto effective = effective_experiment(experiment);
  ASSERT_TRUE(effective.ok());
  EXPECT_EQ(effective->seed(), 0u);
  EXPECT_DOUBLE_EQ(effective->plan().warmup_ms(), 0);
  EXPECT_FALSE(effective->workload().keep_alive());
}

TEST(EffectiveExperiment, SlicesGrowWithConnections) {
  EXPECT_DOUBLE_EQ(default_slice_ms(1), 5);
  EXPECT_DOUBLE_EQ(default_slice_ms(16), 5);
  EXPECT_DOUBLE_EQ(default_slice_ms(64), 20);
}

TEST(EffectiveExperiment, SaysWhatMakesNoSense) {
  EXPECT_THAT(error_of(Experiment()), HasSubstr("2 to 16 arms"));
  Experiment experiment = two_arms();
  experiment.mutable_arms(1)->set_name("a");
  EXPECT_THAT(error_of(experiment), HasSubstr("two arms are named \"a\""));
  experiment = two_arms();
  experiment.mutable_arms(1)->clear_target();
  EXPECT_THAT(error_of(experiment), HasSubstr("arm b has no target"));
  experiment = two_arms();
  experiment.mutable_workload()->set_connections(0);
  EXPECT_THAT(error_of(experiment), HasSubstr("connections (--connections) is 0"));
  experiment = two_arms();
  experiment.mutable_workload()->set_threads(20);
  EXPECT_THAT(error_of(experiment), HasSubstr("20 load threads for 16 connections"));
  experiment = two_arms();
  experiment.mutable_plan()->set_kind(hotlap::v1::Plan::FIXED);
  EXPECT_THAT(error_of(experiment), HasSubstr("fixed"));
  experiment = two_arms();
  experiment.mutable_workload()->add_requests()->set_target("/a b");
  EXPECT_THAT(error_of(experiment), HasSubstr("space"));
  experiment = two_arms();
  experiment.set_margin_percent(-1);
  EXPECT_THAT(error_of(experiment), HasSubstr("margin_percent"));
}

TEST(EffectiveExperiment, BodiesThatContradictAreNamed) {
  Experiment experiment = two_arms();
  auto* request = experiment.mutable_workload()->add_requests();
  request->set_generated_body_bytes((uint64_t{1} << 30) + 1);
  EXPECT_THAT(error_of(experiment), HasSubstr("generated_body_bytes"));
  request->set_generated_body_bytes(5);
  request->set_body("hello");
  EXPECT_THAT(error_of(experiment), HasSubstr("either a body or generated_body_bytes"));
  request->clear_body();
  request->set_expected_sha256("short");
  EXPECT_THAT(error_of(experiment), HasSubstr("expected_sha256"));
  request->set_expected_sha256(std::string(32, 'h'));
  request->set_any_body(true);
  EXPECT_THAT(error_of(experiment), HasSubstr("any_body"));
}

TEST(EffectiveExperiment, IdsNeedAPlaceAndPlacesNeedIds) {
  Experiment experiment = two_arms();
  experiment.set_seed(9);
  auto& workload = *experiment.mutable_workload();
  workload.add_requests()->set_target("/item/{id}");
  EXPECT_THAT(error_of(experiment), HasSubstr("/item/{id} has a place for an id"));
  workload.mutable_ids()->set_first(5);
  workload.mutable_ids()->set_last(4);
  EXPECT_THAT(error_of(experiment), HasSubstr("5, is beyond the last, 4"));
  workload.mutable_ids()->set_last(40);
  const auto effective = effective_experiment(experiment);
  ASSERT_TRUE(effective.ok()) << effective.status();
  EXPECT_EQ(effective->workload().ids().seed(), 9u) << "every draw follows from the run's seed";
  workload.mutable_requests(0)->set_target("/item");
  EXPECT_THAT(error_of(experiment), HasSubstr("no request has a place"));
  workload.mutable_requests(0)->set_body("{\"id\": {id}}");
  EXPECT_TRUE(effective_experiment(experiment).ok());
}

TEST(EffectiveExperiment, AReplayIsAskedAlone) {
  Experiment experiment = two_arms();
  auto& workload = *experiment.mutable_workload();
  workload.mutable_replay()->set_path("access.log");
  EXPECT_THAT(error_of(experiment), HasSubstr("must be absolute"));
  workload.mutable_replay()->set_path("/var/log/access.log");
  const auto effective = effective_experiment(experiment);
  ASSERT_TRUE(effective.ok()) << effective.status();
  EXPECT_DOUBLE_EQ(effective->workload().replay().allowed_bad_share(), 0.01);
  workload.mutable_replay()->set_allowed_bad_share(1.5);
  EXPECT_THAT(error_of(experiment), HasSubstr("allowed_bad_share"));
  workload.mutable_replay()->clear_allowed_bad_share();
  workload.add_requests()->set_body("x");
  EXPECT_THAT(error_of(experiment), HasSubstr("without a body"));
  workload.clear_requests();
  for (int i = 0; i < 2; ++i) workload.add_requests();
  EXPECT_THAT(error_of(experiment), HasSubstr("its own requests"));
}

TEST(EffectiveExperiment, OpenPassesHaveDefaultsAndBounds) {
  Experiment experiment = two_arms();
  experiment.set_seed(9);
  auto& passes = *experiment.mutable_open_passes();
  passes.mutable_loop()->set_arrivals(hotlap::v1::OpenLoop::POISSON);
  const auto effective = effective_experiment(experiment);
  ASSERT_TRUE(effective.ok()) << effective.status();
  EXPECT_EQ(effective->open_passes().passes(), 2u);
  EXPECT_DOUBLE_EQ(effective->open_passes().pass_s(), 5);
  EXPECT_EQ(effective->open_passes().loop().seed(), 9u);
  passes.set_passes(0);
  EXPECT_THAT(error_of(experiment), HasSubstr("passes"));
  passes.set_passes(1);
  passes.set_pass_s(0.05);
  EXPECT_THAT(error_of(experiment), HasSubstr("pass_s"));
}

TEST(EffectiveExperiment, AProfilePassIsCheckedBeforeAnyRound) {
  Experiment experiment = two_arms();
  EXPECT_FALSE(effective_experiment(experiment)->has_profile_pass());
  auto& pass = *experiment.mutable_profile_pass();
  EXPECT_DOUBLE_EQ(effective_experiment(experiment)->profile_pass().duration_s(), 5);
  pass.set_duration_s(1000);
  EXPECT_THAT(error_of(experiment), HasSubstr("0.1 to 600"));
  pass.clear_duration_s();
  experiment.mutable_arms(1)->mutable_target()->set_url("http://127.0.0.1:80");
  EXPECT_THAT(error_of(experiment), HasSubstr("sampled"));
}

TEST(EffectiveExperiment, TheMarginIsThePrimaryMetricsOwnUnlessDeclared) {
  Experiment experiment = two_arms();
  EXPECT_DOUBLE_EQ(effective_experiment(experiment)->margin_percent(), 0.5);
  experiment.set_primary_metric("latency_p99");
  EXPECT_DOUBLE_EQ(effective_experiment(experiment)->margin_percent(), 5);
  experiment.set_margin_percent(1);
  EXPECT_DOUBLE_EQ(effective_experiment(experiment)->margin_percent(), 1);
  experiment.set_primary_metric("syscalls_per_request");
  EXPECT_THAT(error_of(experiment), HasSubstr("pass of its own"));
  experiment.set_primary_metric("nosuch");
  EXPECT_THAT(error_of(experiment), HasSubstr("latency_p99"));
}

TEST(EffectiveExperiment, CountersAreNamesOfEvents) {
  Experiment experiment = two_arms();
  experiment.add_counters("page-faults");
  experiment.add_counters("sched:sched_switch");
  EXPECT_TRUE(effective_experiment(experiment).ok());
  experiment.add_counters("page-faults");
  EXPECT_THAT(error_of(experiment), HasSubstr("twice"));
  experiment.set_counters(2, "a,b");
  EXPECT_THAT(error_of(experiment), HasSubstr("no name of an event"));
  experiment.mutable_counters()->RemoveLast();
  experiment.set_skip_counting(true);
  EXPECT_THAT(error_of(experiment), HasSubstr("--no-counting"));
}

}  // namespace
}  // namespace hotlap::agent
