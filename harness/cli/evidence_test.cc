// Metric values by their definitions, void rounds left out, absent values absent.
#include "harness/cli/evidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hotlap::cli {
namespace {

using hotlap::v1::ArmRound;
using hotlap::v1::Round;

ArmRound arm_round(uint32_t arm, int64_t ok, int64_t cpu_ns) {
  ArmRound round;
  round.set_arm(arm);
  round.mutable_counts()->set_started(ok);
  round.mutable_counts()->set_ok(ok);
  round.set_cpu_ns(cpu_ns);
  return round;
}

Round round_of(uint32_t index, int64_t cpu_a, int64_t cpu_b) {
  Round round;
  round.set_index(index);
  round.set_pass("timing");
  *round.add_arms() = arm_round(0, 100, cpu_a);
  *round.add_arms() = arm_round(1, 100, cpu_b);
  return round;
}

TEST(MetricValue, FollowsTheDefinitions) {
  ArmRound arm = arm_round(0, 1000, 7'000'000);
  arm.set_generator_cpu_ns(3'000'000);
  arm.set_own_slices_ns(500'000'000);
  arm.set_minor_faults(2000);
  arm.set_voluntary_switches(30);
  arm.set_involuntary_switches(20);
  arm.set_rss_begin_bytes(1000);
  arm.set_rss_end_bytes(9000);
  arm.set_rss_requests(4000);
  arm.set_syscalls(3000);
  arm.set_latency_p50_ns(11);
  EXPECT_DOUBLE_EQ(*metric_value("cpu_per_request", arm), 7000);
  EXPECT_DOUBLE_EQ(*metric_value("server_and_generator_cpu_per_request", arm), 10000);
  EXPECT_DOUBLE_EQ(*metric_value("throughput", arm), 2000);
  EXPECT_DOUBLE_EQ(*metric_value("minor_faults_per_request", arm), 2);
  EXPECT_DOUBLE_EQ(*metric_value("context_switches_per_request", arm), 0.05);
  EXPECT_DOUBLE_EQ(*metric_value("rss_growth_per_request", arm), 2);
  EXPECT_DOUBLE_EQ(*metric_value("syscalls_per_request", arm), 3);
  EXPECT_DOUBLE_EQ(*metric_value("latency_p50", arm), 11);
}

TEST(MetricValue, IsAbsentWhereNothingWasMeasured) {
  for (const plan::Metric& metric : plan::metrics()) {
    EXPECT_FALSE(metric_value(metric.name, ArmRound())) << metric.name;
  }
  EXPECT_FALSE(metric_value("no_such_metric", arm_round(0, 1, 1)));
}

TEST(MetricValue, KnowsEveryDeclaredMetric) {
  ArmRound arm = arm_round(0, 10, 10);
  arm.set_generator_cpu_ns(1);
  arm.set_own_slices_ns(1);
  arm.set_minor_faults(1);
  arm.set_voluntary_switches(1);
  arm.set_rss_begin_bytes(1);
  arm.set_rss_end_bytes(1);
  arm.set_rss_requests(1);
  arm.set_syscalls(1);
  arm.set_allocations(1);
  arm.set_allocated_bytes(1);
  arm.set_cgroup_cpu_ns(1);
  arm.set_reply_bytes(1);
  arm.set_rss_peak_bytes(1);
  arm.set_latency_p50_ns(1);
  arm.set_latency_p90_ns(1);
  arm.set_latency_p99_ns(1);
  for (const plan::Metric& metric : plan::metrics()) {
    EXPECT_TRUE(metric_value(metric.name, arm)) << metric.name << " has no value in evidence.cc";
  }
}

TEST(RoundLog, LeavesVoidRoundsOutAndCountsThem) {
  RoundLog log;
  log.add(round_of(0, 100, 110));
  Round disturbed = round_of(1, 100, 900);
  disturbed.set_void_cause("steal: 80 ms");
  disturbed.set_void_arm(1);
  log.add(disturbed);
  EXPECT_EQ(log.kept("timing"), 1u);
  EXPECT_EQ(log.voided(), 1u);
  EXPECT_EQ(log.voids_by_arm(2), (std::vector<uint32_t>{0, 1}));
  const auto metric = plan::find_metric("cpu_per_request");
  ASSERT_TRUE(metric.ok());
  const plan::Evidence evidence = log.evidence(*metric, 1, 0.005);
  ASSERT_EQ(evidence.rounds.size(), 1u);
  EXPECT_DOUBLE_EQ(*evidence.rounds[0].b, 1.1);
}

TEST(RoundLog, EventsComeFromRoundsOfTheirOwn) {
  RoundLog log;
  log.add(round_of(0, 100, 110));
  Round events = round_of(0, 100, 100);
  events.set_pass("events");
  for (auto& arm : *events.mutable_arms()) {
    auto* event = arm.add_events();
    event->set_event("cycles");
    event->set_count(200 * (1 + arm.arm()));
  }
  log.add(events);
  const plan::Evidence evidence = log.evidence(plan::event_metric("event:cycles"), 1, 0.005);
  ASSERT_EQ(evidence.rounds.size(), 1u);
  EXPECT_DOUBLE_EQ(*evidence.rounds[0].b, 2 * *evidence.rounds[0].a);
  EXPECT_TRUE(log.evidence(plan::event_metric("event:nosuch"), 1, 0.005).rounds.empty());
  EXPECT_EQ(log.kept("timing"), 1u);
}

TEST(RoundLog, CountingRoundsSpeakOnlyForCountedMetrics) {
  RoundLog log;
  Round counting = round_of(0, 100, 100);
  counting.set_pass("counting");
  for (auto& arm : *counting.mutable_arms()) arm.set_syscalls(300);
  log.add(counting);
  EXPECT_TRUE(log.evidence(*plan::find_metric("cpu_per_request"), 1, 0.005).rounds.empty());
  EXPECT_EQ(log.evidence(*plan::find_metric("syscalls_per_request"), 1, 0.005).rounds.size(), 1u);
}

TEST(RoundLog, OutsideShareIsOfAllRounds) {
  RoundLog log;
  Round round = round_of(0, 100, 100);
  round.mutable_arms(0)->set_cpu_own_slices_ns(100);
  round.mutable_arms(1)->set_cpu_own_slices_ns(90);
  log.add(round);
  EXPECT_DOUBLE_EQ(*log.outside_share(0), 0);
  EXPECT_NEAR(*log.outside_share(1), 0.1, 1e-12);
}

}  // namespace
}  // namespace hotlap::cli
