#include "harness/plan/sign_flip.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/plan/random.h"
#include "harness/plan/signed_rank.h"

namespace hotlap::plan {
namespace {

using ::testing::ElementsAre;

// Every flip, one by one: the definition.
double all_flips(const std::vector<double>& values) {
  const std::vector<double> ranks = midranks(values);
  std::vector<double> kept;
  double observed = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    kept.push_back(ranks[i]);
    observed += values[i] > 0 ? ranks[i] : -ranks[i];
  }
  uint64_t extreme = 0;
  const uint64_t flips = uint64_t{1} << kept.size();
  for (uint64_t flip = 0; flip < flips; ++flip) {
    double sum = 0;
    for (size_t i = 0; i < kept.size(); ++i) sum += (flip >> i & 1) != 0 ? kept[i] : -kept[i];
    if (std::abs(sum) >= std::abs(observed)) ++extreme;
  }
  return static_cast<double>(extreme) / static_cast<double>(flips);
}

TEST(SignFlip, Midranks) {
  EXPECT_THAT(midranks(std::vector<double>{0, -3, 3, 1, 0, 5}),
              ElementsAre(1.5, 4.5, 4.5, 3, 1.5, 6));
}

// Ten of one sign against two, all of one size: the sign test, 2 * (1 + 12 + 66) / 4096.
TEST(SignFlip, AllTiedIsTheSignTest) {
  EXPECT_DOUBLE_EQ(sign_flip_p(std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1}),
                   158.0 / 4096);
}

// Zeros keep their ranks and are then dropped (Pratt): counted by a loop over all flips in Python.
TEST(SignFlip, ZerosByPratt) {
  EXPECT_DOUBLE_EQ(sign_flip_p(std::vector<double>{0, 0, 1, 2, 3, -1, 4, 5, 6, 2}), 6.0 / 256);
  EXPECT_DOUBLE_EQ(sign_flip_p(std::vector<double>{0, 3, -1, 2, 2, 0, 5, 7, 1, -2, 4, 4}),
                   32.0 / 1024);
}

TEST(SignFlip, AllZerosSayNothing) {
  EXPECT_EQ(sign_flip_p(std::vector<double>(12, 0.0)), 1);
  EXPECT_EQ(sign_flip_p(std::vector<double>{}), 1);
}

TEST(SignFlip, CountsEveryFlip) {
  Random random(4, "flips");
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> values(1 + random.below(12));
    for (double& value : values) value = static_cast<double>(random.below(7)) - 3;
    EXPECT_NEAR(sign_flip_p(values), all_flips(values), 1e-12) << trial;
  }
}

// Without ties it is Wilcoxon's test.
TEST(SignFlip, WithoutTiesIsTheExactTable) {
  Random random(4, "table");
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> values(40);
    for (double& value : values) value = random.uniform() - 0.45;
    EXPECT_NEAR(sign_flip_p(values), symmetry_p(values), 1e-12);
  }
}

// At 40 values nobody enumerates 2^40 flips: 99,999 seeded ones must agree with the count.
TEST(SignFlip, AgreesWithSampledFlipsAtForty) {
  Random random(8, "sampled");
  std::vector<double> values(40);
  for (double& value : values) value = static_cast<double>(random.below(9)) - 3.3;
  for (double& value : values) value = std::round(value);
  const std::vector<double> ranks = midranks(values);
  double observed = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) observed += values[i] > 0 ? ranks[i] : -ranks[i];
  }
  constexpr int kFlips = 99'999;
  int extreme = 0;
  for (int flip = 0; flip < kFlips; ++flip) {
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0) sum += random.coin() ? ranks[i] : -ranks[i];
    }
    if (std::abs(sum) >= std::abs(observed)) ++extreme;
  }
  const double sampled = (1.0 + extreme) / (1.0 + kFlips);
  const double p = sign_flip_p(values);
  EXPECT_NEAR(sampled, p, 5 * std::sqrt(p * (1 - p) / kFlips) + 2e-5);
}

}  // namespace
}  // namespace hotlap::plan
