// The search against servers whose limit is known, and what keeps a promise.
#include "harness/cli/rate_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::cli {
namespace {

using ::testing::HasSubstr;

TEST(RateSearch, FindsALimitAboveAndBelowItsFirstRate) {
  for (const double limit : {1.5, 20.0, 999.0, 1000.0, 5'432.0, 1e6}) {
    RateSearch search(1000, 1);
    int steps = 0;
    for (; !search.done(); ++steps) search.tried(search.next_per_s() <= limit);
    ASSERT_TRUE(search.highest_kept_per_s()) << limit;
    EXPECT_LE(*search.highest_kept_per_s(), limit);
    EXPECT_GT(*search.highest_kept_per_s() * RateSearch::kResolution, limit);
    EXPECT_GT(*search.lowest_broken_per_s(), limit);
    EXPECT_LE(steps, 20) << limit;
  }
}

TEST(RateSearch, EndsWhereNothingOrEverythingKeepsThePromise) {
  RateSearch nothing(1000, 120);
  while (!nothing.done()) nothing.tried(false);
  EXPECT_EQ(nothing.highest_kept_per_s(), std::nullopt);
  EXPECT_EQ(nothing.lowest_broken_per_s(), 120);
  RateSearch everything(1000, 1);
  while (!everything.done()) everything.tried(true);
  EXPECT_EQ(everything.highest_kept_per_s(), RateSearch::kMostPerS);
}

hotlap::v1::LoadResponse line_of(int64_t count, int64_t ns) {
  hotlap::v1::LoadResponse line;
  line.mutable_effective_open()->set_rate_per_s(100);
  line.mutable_counts()->set_started(count);
  line.mutable_counts()->set_ok(count);
  auto* bucket = line.mutable_latency()->add_buckets();
  bucket->set_low_ns(ns);
  bucket->set_high_ns(ns);
  bucket->set_count(count);
  line.mutable_latency()->set_min_ns(ns);
  line.mutable_latency()->set_max_ns(ns);
  return line;
}

TEST(Promise, IsKeptByTimesSendsAndReplies) {
  const auto promise = parse_promise("p99<5ms");
  ASSERT_TRUE(promise.ok()) << promise.status();
  EXPECT_EQ(promise->quantile, 0.99);
  EXPECT_DOUBLE_EQ(promise->limit_ns, 5e6);
  EXPECT_NEAR(promise->least_rate_per_s(10), 120, 1e-6);
  EXPECT_TRUE(promise->kept_by(LoadResult(line_of(1000, 4'900'000))));
  EXPECT_FALSE(promise->kept_by(LoadResult(line_of(1000, 5'000'000))));
  EXPECT_FALSE(promise->kept_by(LoadResult(line_of(999, 1)))) << "too few for p99";
  auto line = line_of(1000, 1);
  line.mutable_counts()->set_never_sent(20);
  EXPECT_FALSE(promise->kept_by(LoadResult(line)));
  line = line_of(1000, 1);
  line.mutable_counts()->set_timeout(1);
  EXPECT_FALSE(promise->kept_by(LoadResult(line)));
  line.mutable_effective()->set_allowed_error_share(0.01);
  EXPECT_TRUE(promise->kept_by(LoadResult(line)));
}

TEST(Promise, WhatCannotBeReadIsNamed) {
  for (const char* text :
       {"", "p99", "99<5ms", "p100<5ms", "p0<5ms", "p99<", "p99<soon", "pp<1s"}) {
    const auto promise = parse_promise(text);
    ASSERT_FALSE(promise.ok()) << text;
    EXPECT_THAT(std::string(promise.status().message()), HasSubstr("--max-rate-within"));
  }
  EXPECT_THAT(std::string(parse_promise("p99<=5ms").status().message()),
              HasSubstr("must read as p99<5ms"));
  EXPECT_DOUBLE_EQ(parse_promise("p99.9<200us")->limit_ns, 2e5);
}

}  // namespace
}  // namespace hotlap::cli
