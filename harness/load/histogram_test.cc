// The promises of the histogram: 0.1 %, exact extremes, nearest rank, and silence on too few
// samples.
#include "harness/load/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace hotlap::load {
namespace {

TEST(Histogram, EmptyHasNoAnswers) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.min_ns(), std::nullopt);
  EXPECT_EQ(histogram.max_ns(), std::nullopt);
  EXPECT_EQ(histogram.mean_ns(), std::nullopt);
  EXPECT_EQ(histogram.quantile_ns(0.5), std::nullopt);
  EXPECT_TRUE(histogram.buckets().empty());
}

TEST(Histogram, BucketsTileTheWholeRange) {
  // One by one where that is quick, then around random values.
  for (std::int64_t low = 0; low < 4200;) {
    Histogram histogram;
    histogram.record(low);
    const Histogram::Bucket bucket = histogram.buckets().at(0);
    ASSERT_EQ(bucket.low_ns, low) << "a gap or overlap";
    ASSERT_GE(bucket.high_ns, low);
    if (low < 2048) {
      ASSERT_EQ(bucket.high_ns, low);
    }
    low = std::max(bucket.high_ns + 1, low < 2000 ? 2000 : low);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> (20 + random() % 40));
    Histogram histogram;
    histogram.record(value);
    const Histogram::Bucket bucket = histogram.buckets().at(0);
    ASSERT_LE(bucket.low_ns, value);
    ASSERT_GE(bucket.high_ns, value);
    ASSERT_LE(static_cast<double>(bucket.high_ns - bucket.low_ns),
              0.001 * static_cast<double>(bucket.low_ns));
    Histogram next;
    next.record(bucket.high_ns + 1);
    ASSERT_EQ(next.buckets().at(0).low_ns, bucket.high_ns + 1) << "a gap or overlap";
  }
}

TEST(Histogram, HoursAndBeyondKeepExactExtremes) {
  Histogram histogram;
  const std::int64_t five_hours = std::int64_t{5} * 3600 * 1'000'000'000;
  histogram.record(1);
  histogram.record(five_hours);
  histogram.record(five_hours * 100);
  histogram.record(-7);
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), five_hours * 100);
  EXPECT_EQ(histogram.sum_ns(), 1 + five_hours * 101);
  EXPECT_EQ(histogram.quantile_ns(1.0), five_hours * 100);
}

// fortio#1080: every reply took 500 ms and p50 was printed as 299 ms.
TEST(Histogram, AllEqualGivesThatValueAtEveryQuantile) {
  Histogram histogram;
  for (int i = 0; i < 1000; ++i) histogram.record(500'123'456);
  for (const double q : {0.0, 0.01, 0.5, 0.75, 0.9, 0.99, 1.0}) {
    EXPECT_EQ(histogram.quantile_ns(q), 500'123'456) << q;
  }
}

TEST(Histogram, QuantilesAreNearestRankWithinATenthOfAPercent) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> draw(12.0, 2.0);
  std::vector<std::int64_t> values;
  Histogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<std::int64_t>(draw(random)));
    histogram.record(values.back());
  }
  std::sort(values.begin(), values.end());
  for (int permille = 0; permille <= 1000; ++permille) {
    const auto rank = std::max<std::int64_t>((permille * std::int64_t{20'000} + 999) / 1000, 1);
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(rank - 1)]);
    const auto found = static_cast<double>(*histogram.quantile_ns(permille / 1000.0));
    ASSERT_LE(std::abs(found - exact), 0.001 * exact) << permille;
    ASSERT_GE(found, static_cast<double>(values.front()));
    ASSERT_LE(found, static_cast<double>(values.back()));
  }
}

TEST(Histogram, RankIsNotPushedUpByBinaryFractions) {
  Histogram histogram;
  for (int i = 1; i <= 100; ++i) histogram.record(i);
  EXPECT_EQ(histogram.quantile_ns(0.07), 7);  // 0.07 * 100 is 7.000000000000001
  EXPECT_EQ(histogram.quantile_ns(0.29), 29);
  EXPECT_EQ(histogram.quantile_ns(0.95), 95);
  EXPECT_EQ(histogram.quantile_ns(0.951), 96);
  EXPECT_EQ(histogram.quantile_ns(-0.1), std::nullopt);
  EXPECT_EQ(histogram.quantile_ns(1.1), std::nullopt);
  EXPECT_EQ(histogram.quantile_ns(std::nan("")), std::nullopt);
}

TEST(Histogram, AQuantileNeedsTenSamplesBeyondIt) {
  Histogram histogram;
  for (int i = 0; i < 19; ++i) histogram.record(5);
  EXPECT_EQ(histogram.supported_quantile_ns(0.5), std::nullopt);
  histogram.record(5);
  EXPECT_EQ(histogram.supported_quantile_ns(0.5), 5);
  for (int i = 20; i < 999; ++i) histogram.record(5);
  EXPECT_EQ(histogram.supported_quantile_ns(0.99), std::nullopt);
  histogram.record(5);
  EXPECT_EQ(histogram.supported_quantile_ns(0.99), 5);
  EXPECT_EQ(histogram.supported_quantile_ns(1.0), std::nullopt);
}

TEST(Histogram, MergeEqualsRecordingAllInOne) {
  std::mt19937_64 random(3);
  Histogram a, b, both, from_buckets;
  for (int i = 0; i < 5000; ++i) {
    const auto value = static_cast<std::int64_t>(random() % 10'000'000);
    (i % 3 == 0 ? a : b).record(value);
    both.record(value);
  }
  from_buckets.merge_buckets(a.buckets(), *a.min_ns(), *a.max_ns(), a.sum_ns());
  from_buckets.merge_buckets(b.buckets(), *b.min_ns(), *b.max_ns(), b.sum_ns());
  a.merge(b);
  for (const Histogram* sum : {&a, &from_buckets}) {
    EXPECT_EQ(sum->count(), both.count());
    EXPECT_EQ(sum->sum_ns(), both.sum_ns());
    EXPECT_EQ(sum->min_ns(), both.min_ns());
    EXPECT_EQ(sum->max_ns(), both.max_ns());
    EXPECT_EQ(sum->buckets(), both.buckets());
  }
  a.merge(Histogram{});
  EXPECT_EQ(a.min_ns(), both.min_ns());
  a.reset();
  EXPECT_EQ(a.count(), 0);
  EXPECT_EQ(a.quantile_ns(0.5), std::nullopt);
}

}  // namespace
}  // namespace hotlap::load
