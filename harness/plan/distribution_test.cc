#include "harness/plan/distribution.h"

#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

// All values: scipy 1.10.1. But t.ppf(0.975, 6) is off by 2e-9 there, as its own t.sf shows: that
// value is where t.sf is 0.025 to 16 digits.
TEST(Distribution, NormalQuantile) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.98895), 2.288644777247584, 1e-12);
  EXPECT_NEAR(normal_quantile(0.9995), 3.2905267314919255, 1e-12);
  EXPECT_NEAR(normal_quantile(0.2), -0.8416212335729142, 1e-12);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Distribution, Student) {
  EXPECT_NEAR(student_quantile(0.975, 6), 2.4469118511449692, 1e-11);
  EXPECT_NEAR(student_quantile(0.98895, 23), 2.454437413117392, 1e-11);
  EXPECT_NEAR(student_quantile(0.9995, 3), 12.923978636637424, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706204736432095, 1e-9);
  EXPECT_NEAR(student_quantile(0.025, 6), -2.4469118511449692, 1e-11);
  EXPECT_NEAR(student_tail(2.5, 7), 0.020496109292876437, 1e-13);
  EXPECT_NEAR(student_tail(-1, 2.5), 0.7979694863608633, 1e-13);
  EXPECT_EQ(student_quantile(0.5, 9), 0);
}

TEST(Distribution, Binomial) {
  EXPECT_NEAR(binomial_at_most(2, 12), 0.019287109375, 1e-15);
  EXPECT_NEAR(binomial_at_most(20, 60), 0.00674464686559593, 1e-14);
  EXPECT_EQ(binomial_at_most(-1, 5), 0);
  EXPECT_EQ(binomial_at_most(5, 5), 1);
  EXPECT_NEAR(binomial_at_most(500, 1000), 0.5126125090891802, 1e-10);
}

}  // namespace
}  // namespace hotlap::plan
