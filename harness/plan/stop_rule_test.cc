#include "harness/plan/stop_rule.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hotlap::plan {
namespace {

using ::testing::HasSubstr;

// n rounds whose d is `centre` per cent and alternates by up to `spread` around it.
Evidence rounds(uint32_t n, double centre, double spread) {
  Evidence evidence;
  evidence.metric = *find_metric(kPrimaryMetric);
  for (uint32_t i = 0; i < n; ++i) {
    const double wave = std::sin(1.7 * i + 0.3);
    evidence.rounds.push_back({i, 1000.0, 1000 * (1 + (centre + spread * wave) / 100)});
  }
  return evidence;
}

TEST(StopRule, WaitsBetweenLooks) {
  for (const uint32_t n : {0U, 1U, 11U}) {
    const auto decision = decide(quick_looks(), {rounds(n, 5, 0.1)});
    ASSERT_TRUE(decision.ok());
    EXPECT_FALSE(decision->stop);
    EXPECT_EQ(decision->next_look, 12U);
    EXPECT_DOUBLE_EQ(decision->alpha, 0.0221);
    EXPECT_TRUE(decision->verdicts.empty());
  }
  // Resumed after a crash at 13: the next look is the one at 24.
  EXPECT_EQ(decide(quick_looks(), {rounds(13, 5, 0.1)})->next_look, 24U);
  EXPECT_FALSE(decide(quick_looks(), {rounds(13, 5, 0.1)})->stop);
}

TEST(StopRule, StopsEarlyBySignificanceAndLeans) {
  const auto decision = decide(quick_looks(), {rounds(12, 5, 0.1)});
  EXPECT_TRUE(decision->stop);
  EXPECT_TRUE(decision->early);
  EXPECT_TRUE(decision->leans);
  EXPECT_THAT(decision->reason, HasSubstr("leans away from 0"));
  ASSERT_EQ(decision->verdicts.size(), 1U);
  EXPECT_EQ(decision->verdicts[0].word, Word::kRegressed);
  EXPECT_TRUE(decision->verdicts[0].has_flag("leans"));
  EXPECT_TRUE(decision->verdicts[0].primary);
}

// A small effect stops as well: only so does a gate fire half the time at exactly the margin.
TEST(StopRule, StopsAtASmallEffect) {
  const auto decision = decide(quick_looks(), {rounds(12, 0.45, 0.4)});
  ASSERT_EQ(decision->verdicts.size(), 1U);
  EXPECT_EQ(decision->verdicts[0].word, Word::kSmall);
  EXPECT_TRUE(decision->stop);
  EXPECT_TRUE(decision->leans);
}

TEST(StopRule, StopsEarlyWhenEquivalentWithoutLeaning) {
  const auto decision = decide(quick_looks(), {rounds(12, 0, 0.1)});
  EXPECT_TRUE(decision->stop);
  EXPECT_TRUE(decision->early);
  EXPECT_FALSE(decision->leans);
  EXPECT_EQ(decision->verdicts[0].word, Word::kEquivalent);
}

TEST(StopRule, GoesOnWhileOpenAndEndsAtTheLastLook) {
  for (const uint32_t n : {12U, 24U}) {
    const auto decision = decide(quick_looks(), {rounds(n, 0.1, 3)});
    EXPECT_FALSE(decision->stop);
    EXPECT_GT(decision->next_look, n);
    EXPECT_EQ(decision->verdicts[0].word, Word::kInconclusive);
  }
  for (const uint32_t n : {40U, 41U}) {
    const auto last = decide(quick_looks(), {rounds(n, 0.1, 3)});
    EXPECT_TRUE(last->stop);
    EXPECT_FALSE(last->early);
    EXPECT_FALSE(last->leans);
    EXPECT_EQ(last->next_look, 0U);
  }
}

// Haybittle-Peto: p = 0.0068 at the second look is not enough, and 0.001 is.
TEST(StopRule, EachLookHasItsOwnAlpha) {
  const auto early = decide(ci_looks(), {rounds(24, 1, 2)});
  ASSERT_EQ(early->verdicts.size(), 1U);
  ASSERT_LE(*early->verdicts[0].p, 0.0221);
  ASSERT_GT(*early->verdicts[0].p, 0.001);
  EXPECT_FALSE(early->stop);
  EXPECT_EQ(early->verdicts[0].word, Word::kInconclusive);
  EXPECT_DOUBLE_EQ(early->verdicts[0].alpha, 0.001);
  EXPECT_TRUE(decide(quick_looks(), {rounds(24, 1, 2)})->stop);
  EXPECT_DOUBLE_EQ(decide(ci_looks(), {rounds(48, 0, 3)})->alpha, 0.049);
}

TEST(StopRule, FixedHasOneLook) {
  EXPECT_FALSE(decide(*fixed_looks(24), {rounds(12, 5, 0.1)})->stop);
  const auto decision = decide(*fixed_looks(24), {rounds(24, 5, 0.1)});
  EXPECT_TRUE(decision->stop);
  EXPECT_FALSE(decision->early);
  EXPECT_FALSE(decision->verdicts[0].has_flag("leans"));
  const auto few = decide(*fixed_looks(2), {rounds(2, 5, 0.1)});
  EXPECT_TRUE(few->stop);
  EXPECT_THAT(few->verdicts[0].reason, HasSubstr("too few"));
}

TEST(StopRule, SeveralArmsWaitForEachOther) {
  EXPECT_FALSE(decide(quick_looks(), {rounds(12, 5, 0.1), rounds(12, 0.1, 3)})->stop);
  EXPECT_TRUE(decide(quick_looks(), {rounds(12, 5, 0.1), rounds(12, 0, 0.1)})->stop);
}

TEST(StopRule, Errors) {
  EXPECT_FALSE(decide(quick_looks(), {}).ok());
  Evidence bad = rounds(12, 0, 1);
  bad.rounds[4].a = std::nan("");
  EXPECT_THAT(std::string(decide(quick_looks(), {bad}).status().message()), HasSubstr("round 4"));
}

}  // namespace
}  // namespace hotlap::plan
