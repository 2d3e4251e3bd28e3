#include "harness/plan/verdict.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/plan/hodges_lehmann.h"
#include "harness/plan/looks.h"
#include "harness/plan/multiple.h"
#include "harness/plan/reason.h"
#include "harness/plan/resolution.h"
#include "harness/plan/signed_rank.h"
#include "harness/plan/trimmed_mean.h"

namespace hotlap::plan {
namespace {

// The rounds that both arms have, by index, and their differences on either scale.
struct Pairs {
  std::vector<double> a, b;
  std::vector<double> difference;  // b - a
  std::vector<double> log_ratio;   // ln(b / a); empty unless every value is positive
  std::vector<uint32_t> unpaired;
};

absl::Status CheckValue(const Metric& metric, uint32_t round, const char* arm, double value) {
  const auto fault = [&](const char* what) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(metric.name), " of arm ", arm, " in round ", round, " is ", what,
                     ": leave the value out where it was not measured"));
  };
  if (std::isnan(value)) return fault("NaN");
  if (std::isinf(value)) return fault("infinite");
  if (metric.scale == Scale::kRatio && value < 0) return fault("negative");
  return absl::OkStatus();
}

absl::StatusOr<Pairs> PairUp(const Evidence& evidence) {
  std::vector<RoundValues> rounds = evidence.rounds;
  std::sort(rounds.begin(), rounds.end(),
            [](const RoundValues& x, const RoundValues& y) { return x.round < y.round; });
  Pairs pairs;
  bool positive = true;
  for (size_t i = 0; i < rounds.size(); ++i) {
    const RoundValues& row = rounds[i];
    if (i > 0 && rounds[i - 1].round == row.round) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(evidence.metric.name),
                                                     " has round ", row.round,
                                                     " twice: give each round once"));
    }
    for (const auto& [arm, value] : {std::pair("a", row.a), std::pair("b", row.b)}) {
      if (!value) continue;
      if (auto status = CheckValue(evidence.metric, row.round, arm, *value); !status.ok()) {
        return status;
      }
    }
    if (!row.a || !row.b) {
      pairs.unpaired.push_back(row.round);
      continue;
    }
    pairs.a.push_back(*row.a);
    pairs.b.push_back(*row.b);
    pairs.difference.push_back(*row.b - *row.a);
    positive = positive && *row.a > 0 && *row.b > 0;
    if (positive) pairs.log_ratio.push_back(std::log(*row.b / *row.a));
  }
  if (!positive) pairs.log_ratio.clear();
  if (pairs.a.size() > kMaxRounds) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(evidence.metric.name), " has ",
                                                   pairs.a.size(), " rounds: at most ", kMaxRounds,
                                                   " can be judged together"));
  }
  return pairs;
}

absl::Status CheckTerms(const Evidence& evidence) {
  if (!(evidence.alpha > 0 && evidence.alpha < 1)) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(evidence.metric.name),
                                                   " is judged at alpha ", evidence.alpha,
                                                   ": give one between 0 and 1"));
  }
  for (const double share : {evidence.margin_ratio.value_or(0), evidence.floor.value_or(0)}) {
    if (std::isfinite(share) && share >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(std::string(evidence.metric.name),
                                                   " has a margin or floor of ", share,
                                                   ": give 0 or more"));
  }
  for (size_t i = 0; i < evidence.typical.size(); ++i) {
    if (std::isfinite(evidence.typical[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("trimmed mean ", i, " of ",
                                                   std::string(evidence.metric.name),
                                                   " is not finite: leave that round out"));
  }
  return absl::OkStatus();
}

bool Unvarying(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

bool Worse(const Evidence& evidence, double d) {
  return evidence.metric.better == Better::kLower ? d > 0 : d < 0;
}

// What is printed on both scales, whichever one decides.
void FillPrinted(const Pairs& pairs, Verdict& verdict) {
  verdict.estimate_absolute = HodgesLehmann(pairs.difference);
  verdict.interval_absolute = HodgesLehmannInterval(pairs.difference, verdict.alpha);
  if (pairs.log_ratio.empty()) return;
  verdict.estimate_percent = Percent(HodgesLehmann(pairs.log_ratio));
  if (const auto interval = HodgesLehmannInterval(pairs.log_ratio, verdict.alpha)) {
    verdict.interval_percent = Interval{Percent(interval->low), Percent(interval->high)};
  }
}

void FillResolution(const std::vector<double>& d, Verdict& verdict) {
  verdict.standard_error = StandardError(RobustSpread(d), verdict.rounds);
  verdict.resolution = Resolution(*verdict.standard_error, verdict.alpha);
  verdict.gate_point = GatePoint(verdict.margin, *verdict.standard_error);
  if (verdict.scale != Scale::kRatio) return;
  verdict.resolution_percent = Percent(*verdict.resolution);
  verdict.gate_point_percent = Percent(*verdict.gate_point);
}

void FillFlags(const Evidence& evidence, Verdict& verdict) {
  const auto flag = [&](bool holds, const char* name) {
    if (holds) verdict.flags.emplace_back(name);
  };
  const bool change = verdict.word == Word::kImproved || verdict.word == Word::kRegressed;
  flag(change && verdict.interval->Beyond(verdict.margin), "certain");
  flag(evidence.leans, "leans");
  flag(verdict.median_interval && verdict.estimate &&
           verdict.median_interval->Excludes(*verdict.estimate),
       "skew");
  flag(verdict.typical_interval && verdict.interval &&
           verdict.typical_interval->Disjoint(*verdict.interval),
       "bursty");
  flag(evidence.interference, "interference");
  flag(evidence.not_steady, "not steady");
}

// METHOD's order: the first that applies.
Word Decide(const Evidence& evidence, const Verdict& verdict, const ReasonFacts& facts) {
  if (!verdict.interval || !facts.at_look) return Word::kInconclusive;
  const double estimate = *verdict.estimate;
  if (facts.found && std::abs(estimate) >= facts.threshold) {
    return Worse(evidence, estimate) ? Word::kRegressed : Word::kImproved;
  }
  if (verdict.interval->Within(verdict.margin) && !facts.floor_decides) return Word::kEquivalent;
  return facts.found ? Word::kSmall : Word::kInconclusive;
}

// Compares counts that never vary. They need no look and no p: there is nothing to be unsure of.
void FillExact(const Evidence& evidence, const Pairs& pairs, Verdict& verdict) {
  const double d = verdict.scale == Scale::kRatio ? pairs.log_ratio[0] : pairs.difference[0];
  verdict.word = Word::kExact;
  verdict.estimate = d;
  verdict.interval = Interval{d, d};
  verdict.estimate_absolute = pairs.difference[0];
  verdict.interval_absolute = Interval{pairs.difference[0], pairs.difference[0]};
  if (!pairs.log_ratio.empty()) {
    const double percent = 100 * (*verdict.b - *verdict.a) / *verdict.a;
    verdict.estimate_percent = percent;
    verdict.interval_percent = Interval{percent, percent};
  }
  verdict.gates = Worse(evidence, d) && std::abs(d) >= verdict.margin;
  verdict.reason = Reason(verdict, {});
}

void FillInference(const Evidence& evidence, const Pairs& pairs, Verdict& verdict) {
  const std::vector<double>& d =
      verdict.scale == Scale::kRatio ? pairs.log_ratio : pairs.difference;
  FillPrinted(pairs, verdict);
  verdict.estimate = HodgesLehmann(d);
  if (verdict.rounds >= kMinRounds) {
    verdict.interval = HodgesLehmannInterval(d, verdict.alpha);
    verdict.median_interval = MedianInterval(d, verdict.alpha);
    verdict.p = SymmetryP(d);
    FillResolution(d, verdict);
  }
  if (!evidence.typical.empty() && verdict.scale == Scale::kRatio) {
    verdict.typical = TrimmedMean(evidence.typical);
    verdict.typical_interval = TrimmedMeanInterval(evidence.typical, verdict.alpha);
  }
  ReasonFacts facts;
  facts.at_look = evidence.at_look;
  facts.threshold = std::max(verdict.margin, evidence.floor.value_or(0));
  facts.floor_decides = evidence.floor.value_or(0) > verdict.margin;
  // Without ties the two say the same. With ties either may be the stricter one, and a change is
  // said only where they agree.
  facts.found = verdict.interval && verdict.interval->Excludes(0) && *verdict.p <= verdict.alpha;
  verdict.word = Decide(evidence, verdict, facts);
  verdict.gates = verdict.word == Word::kRegressed;
  if (verdict.word == Word::kInconclusive && verdict.interval) {
    verdict.rounds_to_decide = RoundsToDecide(RobustSpread(d), verdict.margin, verdict.alpha);
  }
  FillFlags(evidence, verdict);
  verdict.reason = Reason(verdict, facts);
}

}  // namespace

std::string_view WordName(Word word) {
  switch (word) {
    case Word::kExact:
      return "exact";
    case Word::kImproved:
      return "improved";
    case Word::kRegressed:
      return "regressed";
    case Word::kEquivalent:
      return "equivalent";
    case Word::kSmall:
      return "small";
    case Word::kInconclusive:
      break;
  }
  return "inconclusive";
}

bool Verdict::HasFlag(std::string_view flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

double Percent(double d) { return 100 * std::expm1(d); }

absl::StatusOr<Verdict> Judge(const Evidence& evidence) {
  if (auto status = CheckTerms(evidence); !status.ok()) return status;
  absl::StatusOr<Pairs> pairs = PairUp(evidence);
  if (!pairs.ok()) return pairs.status();
  Verdict verdict;
  verdict.metric = std::string(evidence.metric.name);
  verdict.unit = std::string(evidence.metric.unit);
  verdict.better = std::string(BetterName(evidence.metric.better));
  verdict.alpha = evidence.alpha;
  verdict.primary = evidence.primary;
  verdict.rounds = static_cast<uint32_t>(pairs->a.size());
  verdict.unpaired_rounds = pairs->unpaired;
  const bool ratio = evidence.metric.scale == Scale::kRatio && !pairs->log_ratio.empty();
  verdict.scale = ratio ? Scale::kRatio : Scale::kAbsolute;
  verdict.margin = ratio ? evidence.margin_ratio.value_or(evidence.metric.margin_ratio)
                         : evidence.metric.margin_absolute;
  if (verdict.rounds == 0) {
    verdict.reason = Reason(verdict, {});
    return verdict;
  }
  verdict.a = Median(pairs->a);
  verdict.b = Median(pairs->b);
  if (evidence.metric.exact_possible && verdict.rounds >= 2 && Unvarying(pairs->a) &&
      Unvarying(pairs->b)) {
    FillExact(evidence, *pairs, verdict);
  } else {
    FillInference(evidence, *pairs, verdict);
  }
  if (!verdict.unpaired_rounds.empty()) {
    absl::StrAppend(&verdict.reason, "; left out, as one arm has no value: round ",
                    absl::StrJoin(verdict.unpaired_rounds, ", "));
  }
  return verdict;
}

absl::StatusOr<std::vector<Verdict>> JudgeTogether(std::span<const Evidence> evidence) {
  std::vector<Verdict> verdicts;
  std::vector<size_t> cells;
  std::vector<double> p;
  for (const Evidence& one : evidence) {
    absl::StatusOr<Verdict> verdict = Judge(one);
    if (!verdict.ok()) return verdict.status();
    if (!one.primary && verdict->p) {
      cells.push_back(verdicts.size());
      p.push_back(*verdict->p);
    }
    verdicts.push_back(*std::move(verdict));
  }
  const std::vector<bool> kept = BenjaminiHochberg(p);
  const std::vector<bool> may_gate = BenjaminiYekutieli(p);
  for (size_t i = 0; i < cells.size(); ++i) {
    Verdict& verdict = verdicts[cells[i]];
    verdict.gates = verdict.gates && may_gate[i];
    const bool change = verdict.word == Word::kImproved || verdict.word == Word::kRegressed ||
                        verdict.word == Word::kSmall;
    if (kept[i] || !change) continue;
    verdict.word = Word::kInconclusive;
    std::erase(verdict.flags, "certain");
    verdict.reason = ReasonNotKept(verdict, cells.size());
  }
  return verdicts;
}

}  // namespace hotlap::plan
