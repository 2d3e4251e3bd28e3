#include "harness/plan/signed_rank.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

const std::vector<double> kTen = {0.51, -0.12, 0.83, 0.27, 0.94, -0.35, 0.66, 1.20, 0.08, 0.45};

// Three ranks, eight sign patterns, by hand: sums 0 1 2 3 3 4 5 6.
TEST(SignedRank, ThreeByHand) {
  const SignedRank ranks(3);
  EXPECT_EQ(ranks.max(), 6U);
  const double at_most[] = {1, 2, 3, 5, 6, 7, 8};
  for (int t = 0; t <= 6; ++t) EXPECT_DOUBLE_EQ(ranks.at_most(t), at_most[t] / 8) << t;
  EXPECT_EQ(ranks.at_most(-1), 0);
  EXPECT_EQ(ranks.at_most(99), 1);
  EXPECT_DOUBLE_EQ(ranks.two_sided(0), 0.25);
  EXPECT_DOUBLE_EQ(ranks.two_sided(6), 0.25);
  EXPECT_DOUBLE_EQ(ranks.two_sided(3), 1);
}

// The number of Walsh averages cut at each end plus one; counted in whole numbers by Python.
TEST(SignedRank, CriticalValues) {
  struct Row {
    uint32_t n;
    uint64_t at_5, at_pocock, at_haybittle, at_peto;
  };
  for (const Row& row :
       {Row{6, 1, 0, 0, 1}, Row{10, 9, 6, 0, 9}, Row{12, 14, 11, 2, 14}, Row{24, 82, 71, 41, 81},
        Row{40, 265, 241, 173, 264}, Row{60, 649, 606, 477, 648}}) {
    const SignedRank ranks(row.n);
    EXPECT_EQ(ranks.critical_rank(0.05), row.at_5) << row.n;
    EXPECT_EQ(ranks.critical_rank(0.0221), row.at_pocock) << row.n;
    EXPECT_EQ(ranks.critical_rank(0.001), row.at_haybittle) << row.n;
    EXPECT_EQ(ranks.critical_rank(0.049), row.at_peto) << row.n;
  }
}

// scipy 1.10.1: wilcoxon(kTen, mode='exact') gives T = 6, p = 0.02734375.
TEST(SignedRank, AgreesWithScipy) { EXPECT_DOUBLE_EQ(symmetry_p(kTen), 0.02734375); }

TEST(SignedRank, IsSymmetricAndIgnoresOrder) {
  std::vector<double> values = kTen;
  for (double& value : values) value = -value;
  std::sort(values.begin(), values.end());
  EXPECT_DOUBLE_EQ(symmetry_p(values), symmetry_p(kTen));
}

TEST(SignedRank, SmallestP) {
  EXPECT_DOUBLE_EQ(symmetry_p(std::vector<double>{1, 2, 3, 4, 5, 6}), 2.0 / 64);
  EXPECT_EQ(symmetry_p(std::vector<double>{}), 1);
}

TEST(SignedRank, StaysExactAtAThousand) {
  const SignedRank ranks(1000);
  EXPECT_NEAR(ranks.at_most(static_cast<int64_t>(ranks.max() / 2)), 0.5, 1e-4);
  EXPECT_GT(ranks.at_most(0), 0);
}

TEST(SignedRank, SeesTiesAndZeros) {
  EXPECT_FALSE(has_ties_or_zeros(kTen));
  EXPECT_TRUE(has_ties_or_zeros(std::vector<double>{1, -1, 2}));
  EXPECT_TRUE(has_ties_or_zeros(std::vector<double>{1, -0.0, 2}));
}

}  // namespace
}  // namespace hotlap::plan
