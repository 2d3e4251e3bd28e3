#include "harness/plan/multiple.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

using ::testing::ElementsAre;

const std::vector<double> kP = {0.01, 0.04, 0.03, 0.005, 0.5};

// By hand at 10 %: 0.005, 0.01, 0.03, 0.04, 0.5 against 0.02, 0.04, 0.06, 0.08, 0.1.
TEST(Multiple, BenjaminiHochberg) {
  EXPECT_THAT(benjamini_hochberg(kP), ElementsAre(true, true, true, true, false));
  EXPECT_THAT(benjamini_hochberg(kP, 0.02), ElementsAre(false, false, false, false, false));
}

// Step-up: 0.06 is above 0.1 * 1 / 2 on its own, and kept by 0.09 <= 0.1 * 2 / 2.
TEST(Multiple, BenjaminiHochbergStepsUp) {
  EXPECT_THAT(benjamini_hochberg(std::vector<double>{0.06, 0.09}), ElementsAre(true, true));
}

// By hand: q / (1 + 1/2 + 1/3 + 1/4 + 1/5) = 0.0438, steps 0.00876, 0.01752, 0.0263, 0.035.
TEST(Multiple, BenjaminiYekutieli) {
  EXPECT_THAT(benjamini_yekutieli(kP), ElementsAre(true, false, false, true, false));
}

// By hand: 0.005 <= 0.01, 0.01 <= 0.0125, 0.03 > 0.0167, and there it ends.
TEST(Multiple, Holm) {
  EXPECT_THAT(holm(kP, 0.05), ElementsAre(true, false, false, true, false));
  EXPECT_THAT(holm(std::vector<double>{0.04, 0.03}, 0.05), ElementsAre(false, false));
}

TEST(Multiple, NothingGivesNothing) {
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  EXPECT_TRUE(benjamini_yekutieli({}).empty());
  EXPECT_TRUE(holm({}, 0.05).empty());
}

}  // namespace
}  // namespace hotlap::plan
