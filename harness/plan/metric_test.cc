#include "harness/plan/metric.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

using ::testing::HasSubstr;

TEST(Metric, EveryOneIsFullyDeclared) {
  std::set<std::string> names;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(names.insert(std::string(metric.name)).second) << metric.name;
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_FALSE(metric.summary.empty()) << metric.name;
    EXPECT_GT(metric.margin_ratio, 0) << metric.name;
    EXPECT_GT(metric.margin_absolute, 0) << metric.name;
  }
}

TEST(Metric, DirectionsAndScalesOfTheMethod) {
  EXPECT_EQ(metrics()[0].name, kPrimaryMetric);
  EXPECT_EQ(find_metric("cpu_per_request")->margin_ratio, 0.005);
  EXPECT_EQ(find_metric("throughput")->better, Better::kHigher);
  EXPECT_EQ(find_metric("latency_p99")->better, Better::kLower);
  EXPECT_EQ(find_metric("rss_growth_per_request")->scale, Scale::kAbsolute);
  EXPECT_TRUE(find_metric("syscalls_per_request")->pass == Pass::kCounting);
}

TEST(Metric, AnUnknownOneListsWhatExists) {
  const auto metric = find_metric("speed");
  ASSERT_FALSE(metric.ok());
  EXPECT_THAT(std::string(metric.status().message()), HasSubstr("'speed'"));
  for (const Metric& known : metrics()) {
    EXPECT_THAT(std::string(metric.status().message()), HasSubstr(std::string(known.name)));
  }
}

TEST(Metric, ARunsMarginIsThatOfItsPrimaryMetricAndItsLike) {
  const Metric cpu = *find_metric(kPrimaryMetric);
  const Metric rate = *find_metric("throughput");
  const Metric tail = *find_metric("latency_p99");
  EXPECT_EQ(margin_in_run(cpu, cpu, 0.02), 0.02);
  EXPECT_EQ(margin_in_run(rate, cpu, 0.02), 0.02);
  EXPECT_EQ(margin_in_run(tail, cpu, 0.02), 0.05);
  EXPECT_EQ(margin_in_run(tail, tail, 0.02), 0.02);
  EXPECT_EQ(margin_in_run(cpu, tail, 0.02), 0.005);
}

}  // namespace
}  // namespace hotlap::plan
