#include "harness/plan/verdict.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/plan/random.h"

namespace hotlap::plan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Rounds of A at 7000 and of B that many per cent away, with a little drift that both share.
Evidence from_percents(const std::vector<double>& percents,
                       std::string_view metric = kPrimaryMetric) {
  Evidence evidence;
  evidence.metric = *find_metric(metric);
  for (uint32_t i = 0; i < percents.size(); ++i) {
    const double a = 7000 + 37 * (i % 5);
    evidence.rounds.push_back({i, a, a * (1 + percents[i] / 100)});
  }
  return evidence;
}

Evidence from_counts(std::string_view metric, const std::vector<double>& a,
                     const std::vector<double>& b) {
  Evidence evidence;
  evidence.metric = *find_metric(metric);
  for (uint32_t i = 0; i < a.size(); ++i) evidence.rounds.push_back({i, a[i], b[i]});
  return evidence;
}

const std::vector<double> kUp = {2.0, 2.1, 1.8, 2.4, 2.2, 1.7, 2.3, 1.9, 2.5, 2.05, 1.95, 2.15};

std::vector<double> shifted(std::vector<double> values, double shift, double scale = 1) {
  for (double& value : values) value = value * scale + shift;
  return values;
}

TEST(Verdict, RegressedAndImproved) {
  const auto worse = judge(from_percents(kUp));
  ASSERT_TRUE(worse.ok()) << worse.status();
  EXPECT_EQ(worse->word, Word::kRegressed);
  EXPECT_TRUE(worse->gates);
  EXPECT_NEAR(*worse->estimate_percent, 2.08, 0.05);
  EXPECT_NEAR(*worse->p, 2.0 / 4096, 1e-12);
  EXPECT_TRUE(worse->has_flag("certain"));
  EXPECT_EQ(worse->better, "lower");
  EXPECT_THAT(worse->reason, HasSubstr("higher than A's"));
  EXPECT_FALSE(worse->rounds_to_decide);
  const auto better = judge(from_percents(shifted(kUp, -4)));
  EXPECT_EQ(better->word, Word::kImproved);
  EXPECT_FALSE(better->gates);
  EXPECT_THAT(better->reason, HasSubstr("lower than A's"));
}

// A doubled throughput is an improvement: the direction is declared, not guessed.
TEST(Verdict, HigherIsBetterWhereDeclared) {
  EXPECT_EQ(judge(from_percents(shifted(kUp, 98), "throughput"))->word, Word::kImproved);
  EXPECT_EQ(judge(from_percents(shifted(kUp, 98), "latency_p99"))->word, Word::kRegressed);
  EXPECT_EQ(judge(from_percents(shifted(kUp, -4), "throughput"))->word, Word::kRegressed);
}

TEST(Verdict, Equivalent) {
  const auto verdict = judge(from_percents(shifted(kUp, -2)));
  EXPECT_EQ(verdict->word, Word::kEquivalent);
  EXPECT_TRUE(verdict->interval->within(0.005));
  EXPECT_FALSE(verdict->gates);
}

// Excludes 0 and lies within the margin: equivalent stands before small.
TEST(Verdict, FoundWithinTheMarginIsEquivalent) {
  const auto verdict = judge(from_percents(shifted(kUp, 0.05, 0.1)));
  EXPECT_TRUE(verdict->interval->excludes(0));
  EXPECT_EQ(verdict->word, Word::kEquivalent);
}

TEST(Verdict, SmallExcludesZeroAndReachesBeyondTheMargin) {
  const auto verdict = judge(from_percents(shifted(kUp, -1.7)));
  EXPECT_TRUE(verdict->interval->excludes(0));
  EXPECT_EQ(verdict->word, Word::kSmall);
  EXPECT_FALSE(verdict->gates);
  EXPECT_THAT(verdict->reason, HasSubstr("below the margin of 0.50 %"));
}

TEST(Verdict, InconclusiveSaysHowManyRoundsWouldDecide) {
  const auto verdict = judge(from_percents(shifted(kUp, -20, 10)));
  EXPECT_EQ(verdict->word, Word::kInconclusive);
  ASSERT_TRUE(verdict->rounds_to_decide);
  EXPECT_GT(*verdict->rounds_to_decide, 12U);
  EXPECT_THAT(verdict->reason,
              HasSubstr("about " + std::to_string(*verdict->rounds_to_decide) + " rounds"));
}

TEST(Verdict, SwappingTheArmsMirrorsEverything) {
  Evidence evidence = from_percents(kUp);
  const auto forth = judge(evidence);
  for (RoundValues& row : evidence.rounds) std::swap(row.a, row.b);
  const auto back = judge(evidence);
  EXPECT_NEAR(*back->estimate, -*forth->estimate, 1e-15);
  EXPECT_NEAR(back->interval->low, -forth->interval->high, 1e-15);
  EXPECT_DOUBLE_EQ(*back->p, *forth->p);
  EXPECT_EQ(back->word, Word::kImproved);
  EXPECT_NEAR(*back->b / *back->a, *forth->a / *forth->b, 1e-12);
}

// The medians of A (10.0) and of B (10.1) differ one way, the paired rounds the other.
TEST(Verdict, TheColumnsNeverContradictTheEstimate) {
  Evidence evidence;
  evidence.metric = *find_metric(kPrimaryMetric);
  const double a[] = {8, 9, 10, 10, 12, 13, 14};
  const double b[] = {7.9, 8.9, 10.1, 10.1, 11.8, 12.8, 13.8};
  for (uint32_t round = 0; round < 7; ++round) {
    evidence.rounds.push_back({round, a[round], b[round]});
  }
  const auto verdict = judge(evidence);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_LT(*verdict->estimate, 0);
  EXPECT_EQ(*verdict->a, 10);
  EXPECT_NEAR(*verdict->b, 10 * std::exp(*verdict->estimate), 1e-12);
}

TEST(Verdict, TheOrderOfRoundsDoesNotMatter) {
  Evidence evidence = from_percents(shifted(kUp, -1.9));
  const auto first = judge(evidence);
  Random random(1, "order");
  for (int trial = 0; trial < 20; ++trial) {
    random.shuffle(std::span<RoundValues>(evidence.rounds));
    const auto again = judge(evidence);
    EXPECT_EQ(*again->estimate, *first->estimate);
    EXPECT_EQ(*again->standard_error, *first->standard_error);
    EXPECT_EQ(again->interval->low, first->interval->low);
    EXPECT_EQ(*again->p, *first->p);
    EXPECT_EQ(again->reason, first->reason);
  }
}

// The floor of the machine's ledger: below it neither improved nor regressed; above the
// margin nothing is equivalent.
TEST(Verdict, Floor) {
  Evidence evidence = from_percents(kUp);
  evidence.floor = 0.03;
  EXPECT_EQ(judge(evidence)->word, Word::kSmall);
  EXPECT_THAT(judge(evidence)->reason, HasSubstr("floor"));
  evidence.floor = 0.003;
  EXPECT_EQ(judge(evidence)->word, Word::kRegressed);
  evidence = from_percents(shifted(kUp, -2));
  evidence.floor = 0.006;
  EXPECT_EQ(judge(evidence)->word, Word::kInconclusive);
  EXPECT_THAT(judge(evidence)->reason, HasSubstr("floor"));
}

TEST(Verdict, TooFewRounds) {
  for (size_t n = 1; n < 6; ++n) {
    const auto verdict = judge(from_percents(std::vector<double>(kUp.begin(), kUp.begin() + n)));
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(verdict->word, Word::kInconclusive);
    EXPECT_THAT(verdict->reason, HasSubstr("too few"));
    EXPECT_FALSE(verdict->p);
    EXPECT_FALSE(verdict->interval);
    EXPECT_FALSE(verdict->interval_percent);
    EXPECT_TRUE(verdict->estimate_percent);
  }
  // Six suffice at 5 %, and cannot reach p <= 0.0221.
  Evidence six = from_percents(std::vector<double>(kUp.begin(), kUp.begin() + 6));
  EXPECT_EQ(judge(six)->word, Word::kRegressed);
  six.alpha = 0.0221;
  EXPECT_EQ(judge(six)->word, Word::kInconclusive);
  EXPECT_THAT(judge(six)->reason, HasSubstr("too few"));
}

TEST(Verdict, NoRoundsAtAll) {
  const auto verdict = judge(from_percents({}));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->word, Word::kInconclusive);
  EXPECT_FALSE(verdict->a);
  EXPECT_FALSE(verdict->estimate);
}

TEST(Verdict, ExactCounts) {
  const std::vector<double> four(12, 4), five(12, 5);
  const auto verdict = judge(from_counts("syscalls_per_request", four, five));
  EXPECT_EQ(verdict->word, Word::kExact);
  EXPECT_DOUBLE_EQ(*verdict->estimate_percent, 25);
  EXPECT_DOUBLE_EQ(*verdict->estimate_absolute, 1);
  EXPECT_FALSE(verdict->p);
  EXPECT_TRUE(verdict->gates);
  EXPECT_THAT(verdict->reason, HasSubstr("exactly 4 in A and 5 in B"));
  const auto fewer = judge(from_counts("syscalls_per_request", five, four));
  EXPECT_EQ(fewer->word, Word::kExact);
  EXPECT_FALSE(fewer->gates);
  const auto same = judge(from_counts("syscalls_per_request", four, four));
  EXPECT_EQ(same->word, Word::kExact);
  EXPECT_EQ(*same->estimate_percent, 0);
  EXPECT_FALSE(same->gates);
}

// The same ratio of different counts is the same number.
TEST(Verdict, ExactnessOfQuotients) {
  std::vector<double> a, b;
  for (int requests = 999; requests < 1011; ++requests) {
    a.push_back(3.0 * requests / (3 * requests));
    b.push_back((7.0 * requests) / (3 * requests));
  }
  EXPECT_EQ(judge(from_counts("syscalls_per_request", a, b))->word, Word::kExact);
}

TEST(Verdict, OneVaryingRoundIsNotExact) {
  std::vector<double> four(12, 4), five(12, 5);
  five[3] = 5.25;
  EXPECT_EQ(judge(from_counts("syscalls_per_request", four, five))->word, Word::kRegressed);
  // A time is never exact, however often the clock says the same.
  EXPECT_EQ(judge(from_counts("latency_p50", four, std::vector<double>(12, 5)))->word,
            Word::kRegressed);
}

// 0 to 5 per request: an absolute difference, no percentage, and it gates.
TEST(Verdict, ZeroBaseline) {
  const std::vector<double> zero(12, 0);
  const auto exact =
      judge(from_counts("minor_faults_per_request", zero, std::vector<double>(12, 5)));
  EXPECT_EQ(exact->word, Word::kExact);
  EXPECT_DOUBLE_EQ(*exact->estimate_absolute, 5);
  EXPECT_FALSE(exact->estimate_percent);
  EXPECT_FALSE(exact->interval_percent);
  EXPECT_TRUE(exact->gates);
  for (const char* metric :
       {"minor_faults_per_request", "syscalls_per_request", "rss_growth_per_request"}) {
    const auto noisy = judge(from_counts(metric, zero, shifted(kUp, 3)));
    EXPECT_EQ(noisy->word, Word::kRegressed) << metric;
    EXPECT_TRUE(noisy->gates) << metric;
    EXPECT_EQ(noisy->scale, Scale::kAbsolute);
    EXPECT_FALSE(noisy->estimate_percent) << metric;
    EXPECT_FALSE(noisy->resolution_percent) << metric;
    EXPECT_NEAR(*noisy->estimate_absolute, 5.08, 0.1) << metric;
  }
}

TEST(Verdict, AllZeroIsEquivalent) {
  const std::vector<double> zero(12, 0);
  const auto verdict = judge(from_counts("rss_growth_per_request", zero, zero));
  EXPECT_EQ(verdict->word, Word::kEquivalent);
  EXPECT_EQ(*verdict->p, 1);
  EXPECT_EQ(judge(from_counts("cpu_per_request", zero, zero))->word, Word::kEquivalent);
}

// One side all equal (go#19634): a real change is found.
TEST(Verdict, OneSideAllEqual) {
  const std::vector<double> constant(12, 100);
  std::vector<double> varied = {103, 104, 103, 105, 103, 104, 103, 103, 105, 104, 103, 104};
  EXPECT_EQ(judge(from_counts("latency_p50", constant, varied))->word, Word::kRegressed);
  EXPECT_EQ(judge(from_counts("latency_p50", varied, constant))->word, Word::kImproved);
}

TEST(Verdict, BadValuesNameTheRow) {
  for (const auto& [value, what] :
       {std::pair(kNaN, "NaN"), std::pair(HUGE_VAL, "infinite"), std::pair(-1.0, "negative")}) {
    Evidence evidence = from_percents(kUp);
    evidence.rounds[7].b = value;
    const auto verdict = judge(evidence);
    ASSERT_FALSE(verdict.ok());
    EXPECT_EQ(verdict.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(verdict.status().message()),
                AllOf(HasSubstr(what), HasSubstr("arm b"), HasSubstr("round 7"),
                      HasSubstr("cpu_per_request")));
  }
  Evidence twice = from_percents(kUp);
  twice.rounds[3].round = 2;
  EXPECT_THAT(std::string(judge(twice).status().message()), HasSubstr("round 2 twice"));
  Evidence typical = from_percents(kUp);
  typical.typical = {0, kNaN};
  EXPECT_FALSE(judge(typical).ok());
  Evidence alpha = from_percents(kUp);
  alpha.alpha = 0;
  EXPECT_FALSE(judge(alpha).ok());
  Evidence margin = from_percents(kUp);
  margin.margin_ratio = -0.01;
  EXPECT_FALSE(judge(margin).ok());
}

// Rows on one side only are listed and change nothing (go#19565).
TEST(Verdict, UnpairedRoundsAreListed) {
  Evidence evidence = from_percents(kUp);
  const auto whole = judge(evidence);
  evidence.rounds.push_back({50, 7000.0, std::nullopt});
  evidence.rounds.push_back({40, std::nullopt, 1.0});
  const auto verdict = judge(evidence);
  EXPECT_EQ(*verdict->estimate, *whole->estimate);
  EXPECT_EQ(verdict->rounds, 12U);
  EXPECT_THAT(verdict->unpaired_rounds, ElementsAre(40, 50));
  EXPECT_THAT(verdict->reason, HasSubstr("40, 50"));
}

TEST(Verdict, BetweenLooksNothingIsConcluded) {
  Evidence evidence = from_percents(kUp);
  evidence.at_look = false;
  const auto verdict = judge(evidence);
  EXPECT_EQ(verdict->word, Word::kInconclusive);
  EXPECT_TRUE(verdict->interval);
  EXPECT_FALSE(verdict->gates);
  EXPECT_THAT(verdict->reason, HasSubstr("between two looks"));
}

TEST(Verdict, Flags) {
  Evidence evidence = from_percents(kUp);
  evidence.leans = evidence.interference = evidence.not_steady = true;
  EXPECT_THAT(judge(evidence)->flags,
              ElementsAre("certain", "leans", "interference", "not steady"));
}

// Most rounds agree, a few lie far out: the middle of the averages leaves the median's interval.
TEST(Verdict, Skew) {
  std::vector<double> skewed;
  for (int i = 0; i < 28; ++i) skewed.push_back(0.001 * i);
  for (int i = 0; i < 12; ++i) skewed.push_back(20 + i);
  EXPECT_TRUE(judge(from_percents(skewed))->has_flag("skew"));
  EXPECT_FALSE(judge(from_percents(kUp))->has_flag("skew"));
}

// Typical slices say nothing changed, the totals say 2 %: rare costs.
TEST(Verdict, Bursty) {
  Evidence evidence = from_percents(kUp);
  for (const double percent : shifted(kUp, -2)) evidence.typical.push_back(percent / 100);
  EXPECT_TRUE(judge(evidence)->has_flag("bursty"));
  for (double& value : evidence.typical) value += 0.02;
  EXPECT_FALSE(judge(evidence)->has_flag("bursty"));
}

TEST(Verdict, MarginOverride) {
  Evidence evidence = from_percents(kUp);
  evidence.margin_ratio = 0.05;
  EXPECT_EQ(judge(evidence)->word, Word::kEquivalent);
}

// One true effect beside nine with none: those found by luck alone are not kept.
TEST(Verdict, ExploratoryOnesAreHeldTogether) {
  std::vector<Evidence> all = {from_percents(kUp)};
  all[0].primary = true;
  for (int i = 0; i < 9; ++i) {
    std::vector<double> noise = kUp;
    for (size_t j = 0; j < noise.size(); j += 2) noise[j] = -noise[j];
    all.push_back(from_percents(noise, "latency_p50"));
  }
  all.push_back(from_percents(kUp, "throughput"));
  std::vector<double> lucky = kUp;
  for (double& value : lucky) value *= 2;
  lucky[0] = -50;  // rank sum 12 of 12 rounds: p = 0.034, above 0.1 * 2 / 11
  all.push_back(from_percents(lucky, "latency_p90"));
  const auto alone = judge(all.back());
  ASSERT_EQ(alone->word, Word::kRegressed) << *alone->p;
  const auto together = judge_together(all);
  ASSERT_TRUE(together.ok());
  EXPECT_EQ((*together)[0].word, Word::kRegressed);
  EXPECT_EQ((*together)[10].word, Word::kImproved);
  EXPECT_EQ(together->back().word, Word::kInconclusive);
  EXPECT_FALSE(together->back().gates);
  EXPECT_THAT(together->back().reason, HasSubstr("Benjamini-Hochberg"));
}

TEST(Verdict, WordsAreThoseOfTheMethod) {
  EXPECT_EQ(word_name(Word::kExact), "exact");
  EXPECT_EQ(word_name(Word::kImproved), "improved");
  EXPECT_EQ(word_name(Word::kRegressed), "regressed");
  EXPECT_EQ(word_name(Word::kEquivalent), "equivalent");
  EXPECT_EQ(word_name(Word::kSmall), "small");
  EXPECT_EQ(word_name(Word::kInconclusive), "inconclusive");
}

}  // namespace
}  // namespace hotlap::plan
