// Plans of an open loop: the parts of all threads together are exactly the whole.
#include "harness/load/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace hotlap::load {
namespace {

constexpr std::int64_t kS = 1'000'000'000;

std::vector<std::int64_t> starts(const Arrivals& arrivals, int threads, int connections,
                                 std::int64_t until_ns) {
  std::vector<std::int64_t> all;
  for (int thread = 0; thread < std::min(threads, connections); ++thread) {
    for (Schedule part(arrivals, {thread, threads, connections}); part.at_ns() < until_ns;
         part.advance()) {
      all.push_back(part.at_ns());
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

Arrivals constant(double rate_per_s) { return {.rate_per_s = rate_per_s}; }

// DeathStarBench#347: a rate of 10 over 12 threads was no limit at all.
TEST(Arrivals, AnyRateOverAnyThreadsIsMetExactly) {
  for (const double rate : {0.3, 1.0, 3.0, 10.0, 333.3, 9999.0}) {
    for (const int threads : {1, 2, 7, 12}) {
      for (const int connections : {1, 2, 12, 15, 100}) {
        const auto all = starts(constant(rate), threads, connections, 10 * kS);
        ASSERT_EQ(all.size(), static_cast<std::size_t>(std::ceil(rate * 10 - 1e-9)))
            << rate << " over " << threads << " threads, " << connections << " connections";
        for (std::size_t k = 0; k < all.size(); ++k) {
          ASSERT_EQ(all[k], std::llround(static_cast<double>(k) * 1e9 / rate));
        }
      }
    }
  }
}

TEST(Arrivals, BurstsKeepTheRateAndComeTogether) {
  const Arrivals bursts{.kind = Arrivals::Kind::kBurst, .rate_per_s = 100, .burst = 7};
  const auto all = starts(bursts, 3, 10, 10 * kS);
  EXPECT_NEAR(static_cast<double>(all.size()), 1000, 7);
  for (std::size_t k = 0; k < all.size(); ++k) {
    ASSERT_EQ(all[k], static_cast<std::int64_t>(k / 7) * 70'000'000);
  }
}

TEST(Arrivals, PoissonPartsMakeAPoissonProcessOfTheWholeRate) {
  constexpr double kMeanGapNs = 1e6;
  for (const int threads : {1, 5}) {
    const Arrivals poisson{.kind = Arrivals::Kind::kPoisson, .rate_per_s = 1000, .seed = 3};
    const auto all = starts(poisson, threads, 12, 100 * kS);
    EXPECT_NEAR(static_cast<double>(all.size()), 100'000, 4 * std::sqrt(100'000.0));
    std::vector<double> shares;
    for (std::size_t k = 1; k < all.size(); ++k) {
      shares.push_back(exponential_share(static_cast<double>(all[k] - all[k - 1]), kMeanGapNs));
    }
    std::sort(shares.begin(), shares.end());
    double distance = 0;
    const auto count = static_cast<double>(shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      distance = std::max(distance, std::fabs(shares[i] - static_cast<double>(i) / count));
    }
    EXPECT_LT(distance, 1.95 / std::sqrt(count)) << "Kolmogorov and Smirnov at 0.1 %";
  }
}

TEST(Arrivals, SeedsDifferAndRepeat) {
  const auto of_seed = [](std::uint64_t seed) {
    return starts({.kind = Arrivals::Kind::kPoisson, .rate_per_s = 50, .seed = seed}, 2, 4, kS);
  };
  EXPECT_EQ(of_seed(1), of_seed(1));
  EXPECT_NE(of_seed(1), of_seed(2));
}

// A day at a million a second is planned to the nanosecond: rounding does not add up.
TEST(Arrivals, TheLastStartOfADayIsWhereItShouldBe) {
  Schedule part(constant(1e6 / 3), {0, 1, 1});
  for (int i = 0; i < 1'000'000; ++i) part.advance();
  EXPECT_EQ(part.at_ns(), 3'000'000'000);
}

}  // namespace
}  // namespace hotlap::load
