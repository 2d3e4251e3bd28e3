#include "harness/plan/void_rule.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int64_t kTick_ns = 10'000'000;
constexpr int64_t kSecond_ns = 1'000'000'000;

std::optional<std::string> steal(int64_t round_ns, int64_t steal_ns) {
  return void_cause({round_ns, steal_ns, std::nullopt, std::nullopt});
}

TEST(VoidRule, StealNeedsAShareAndTicks) {
  EXPECT_FALSE(steal(kSecond_ns, 0));
  EXPECT_FALSE(steal(kSecond_ns, 2 * kTick_ns));      // exactly 2 %, two ticks
  EXPECT_TRUE(steal(kSecond_ns, 3 * kTick_ns));       // 3 %, three ticks
  EXPECT_FALSE(steal(kSecond_ns / 5, 2 * kTick_ns));  // 10 %, but two ticks say nothing
  EXPECT_FALSE(steal(2 * kSecond_ns, 4 * kTick_ns));  // exactly 2 %
  EXPECT_TRUE(steal(2 * kSecond_ns, 5 * kTick_ns));
  EXPECT_THAT(*steal(2 * kSecond_ns, 8 * kTick_ns),
              StartsWith("steal: 80.0 ms on the servers' CPUs, 4.0 %"));
}

TEST(VoidRule, OtherCauses) {
  EXPECT_FALSE(void_cause({kSecond_ns, std::nullopt, std::nullopt, std::nullopt}));
  EXPECT_FALSE(void_cause({kSecond_ns, 0, kSecond_ns / 50, 2 * kTick_ns}));
  EXPECT_THAT(*void_cause({kSecond_ns, 0, kSecond_ns / 40, 0}), StartsWith("late generator: "));
  EXPECT_THAT(*void_cause({kSecond_ns, 0, 0, 3 * kTick_ns}), StartsWith("other load: "));
}

// scipy 1.10.1: binomtest(0, 6).pvalue, binomtest(1, 9).pvalue.
TEST(VoidRule, ImbalanceAgreesWithScipy) {
  EXPECT_DOUBLE_EQ(void_imbalance_p(0, 6), 0.03125);
  EXPECT_DOUBLE_EQ(void_imbalance_p(8, 1), 0.0390625);
  EXPECT_EQ(void_imbalance_p(0, 0), 1);
  EXPECT_EQ(void_imbalance_p(3, 3), 1);
}

TEST(VoidRule, MoreThanAFifthIsInvalid) {
  const std::vector<uint32_t> none = {0, 0};
  EXPECT_FALSE(run_invalid(12, 0, none));
  EXPECT_FALSE(run_invalid(12, 3, none));
  EXPECT_TRUE(run_invalid(12, 4, none));
  EXPECT_TRUE(run_invalid(0, 1, none));
  EXPECT_FALSE(run_invalid(0, 0, none));
  EXPECT_FALSE(run_invalid(40, 10, none));
  EXPECT_TRUE(run_invalid(40, 11, none));
  EXPECT_THAT(*run_invalid(40, 11, none), HasSubstr("11 of 51 rounds are void"));
}

TEST(VoidRule, VoidsOnOneSideAreInvalid) {
  EXPECT_FALSE(run_invalid(40, 5, std::vector<uint32_t>{0, 5}));
  EXPECT_TRUE(run_invalid(40, 6, std::vector<uint32_t>{0, 6}));
  EXPECT_TRUE(run_invalid(40, 6, std::vector<uint32_t>{6, 0}));
  EXPECT_FALSE(run_invalid(40, 6, std::vector<uint32_t>{3, 3}));
  // Two comparisons: 0.03125 is above 0.05 / 2 for Holm.
  EXPECT_FALSE(run_invalid(60, 6, std::vector<uint32_t>{0, 6, 0}));
  EXPECT_FALSE(run_invalid(40, 6, {}));
}

TEST(VoidRule, TheBoundIsTheLastValidRun) {
  const std::vector<uint32_t> none = {0, 0};
  for (const uint32_t rounds : {1U, 12U, 24U, 40U, 60U}) {
    EXPECT_FALSE(run_invalid(rounds, max_void_rounds(rounds), none)) << rounds;
    EXPECT_TRUE(run_invalid(rounds, max_void_rounds(rounds) + 1, none)) << rounds;
  }
}

}  // namespace
}  // namespace hotlap::plan
