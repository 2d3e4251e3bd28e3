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

absl::Status check_value(const Metric& metric, uint32_t round, const char* arm, double value) {
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

absl::StatusOr<Pairs> pair_up(const Evidence& evidence) {
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
      if (auto status = check_value(evidence.metric, row.round, arm, *value); !status.ok()) {
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

absl::Status check_terms(const Evidence& evidence) {
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

bool unvarying(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

bool worse(const Evidence& evidence, double d) {
  return evidence.metric.better == Better::kLower ? d > 0 : d < 0;
}

// What is printed on both scales, whichever one decides.
void fill_printed(const Pairs& pairs, Verdict& verdict) {
  verdict.estimate_absolute = hodges_lehmann(pairs.difference);
  verdict.interval_absolute = hodges_lehmann_interval(pairs.difference, verdict.alpha);
  if (pairs.log_ratio.empty()) return;
  verdict.estimate_percent = percent(hodges_lehmann(pairs.log_ratio));
  if (const auto interval = hodges_lehmann_interval(pairs.log_ratio, verdict.alpha)) {
    verdict.interval_percent = Interval{percent(interval->low), percent(interval->high)};
  }
}

void fill_resolution(const std::vector<double>& d, Verdict& verdict) {
  verdict.standard_error = standard_error_of(robust_spread(d), verdict.rounds);
  verdict.resolution = resolution(*verdict.standard_error, verdict.alpha);
  verdict.gate_point = gate_point(verdict.margin, *verdict.standard_error);
  if (verdict.scale != Scale::kRatio) return;
  verdict.resolution_percent = percent(*verdict.resolution);
  verdict.gate_point_percent = percent(*verdict.gate_point);
}

void fill_flags(const Evidence& evidence, Verdict& verdict) {
  const auto flag = [&](bool holds, const char* name) {
    if (holds) verdict.flags.emplace_back(name);
  };
  const bool change = verdict.word == Word::kImproved || verdict.word == Word::kRegressed;
  flag(change && verdict.interval->beyond(verdict.margin), "certain");
  flag(evidence.leans, "leans");
  flag(verdict.median_interval && verdict.estimate &&
           verdict.median_interval->excludes(*verdict.estimate),
       "skew");
  flag(verdict.typical_interval && verdict.interval &&
           verdict.typical_interval->disjoint(*verdict.interval),
       "bursty");
  flag(evidence.interference, "interference");
  flag(evidence.not_steady, "not steady");
}

// In this order: the first that applies.
Word decide(const Evidence& evidence, const Verdict& verdict, const ReasonFacts& facts) {
  if (!verdict.interval || !facts.at_look) return Word::kInconclusive;
  const double estimate = *verdict.estimate;
  if (facts.found && std::abs(estimate) >= facts.threshold) {
    return worse(evidence, estimate) ? Word::kRegressed : Word::kImproved;
  }
  if (verdict.interval->within(verdict.margin) && !facts.floor_decides) return Word::kEquivalent;
  return facts.found ? Word::kSmall : Word::kInconclusive;
}

// Compares counts that never vary. They need no look and no p: there is nothing to be unsure of.
void fill_exact(const Evidence& evidence, const Pairs& pairs, Verdict& verdict) {
  const double d = verdict.scale == Scale::kRatio ? pairs.log_ratio[0] : pairs.difference[0];
  verdict.word = Word::kExact;
  verdict.estimate = d;
  verdict.interval = Interval{d, d};
  verdict.estimate_absolute = pairs.difference[0];
  verdict.interval_absolute = Interval{pairs.difference[0], pairs.difference[0]};
  if (!pairs.log_ratio.empty()) {
    const double change = 100 * (*verdict.b - *verdict.a) / *verdict.a;
    verdict.estimate_percent = change;
    verdict.interval_percent = Interval{change, change};
  }
  verdict.gates = worse(evidence, d) && std::abs(d) >= verdict.margin;
  verdict.reason = reason(verdict, {});
}

void fill_inference(const Evidence& evidence, const Pairs& pairs, Verdict& verdict) {
  const std::vector<double>& d =
      verdict.scale == Scale::kRatio ? pairs.log_ratio : pairs.difference;
  fill_printed(pairs, verdict);
  verdict.estimate = hodges_lehmann(d);
  if (verdict.rounds >= kMinRounds) {
    verdict.interval = hodges_lehmann_interval(d, verdict.alpha);
    verdict.median_interval = median_interval(d, verdict.alpha);
    verdict.p = symmetry_p(d);
    fill_resolution(d, verdict);
  }
  if (!evidence.typical.empty() && verdict.scale == Scale::kRatio) {
    verdict.typical = trimmed_mean(evidence.typical);
    verdict.typical_interval = trimmed_mean_interval(evidence.typical, verdict.alpha);
  }
  ReasonFacts facts;
  facts.at_look = evidence.at_look;
  facts.threshold = std::max(verdict.margin, evidence.floor.value_or(0));
  facts.floor_decides = evidence.floor.value_or(0) > verdict.margin;
  // Without ties the two say the same. With ties either may be the stricter one, and a change is
  // said only where they agree.
  facts.found = verdict.interval && verdict.interval->excludes(0) && *verdict.p <= verdict.alpha;
  verdict.word = decide(evidence, verdict, facts);
  verdict.gates = verdict.word == Word::kRegressed;
  if (verdict.word == Word::kInconclusive && verdict.interval) {
    verdict.rounds_to_decide = rounds_to_decide(robust_spread(d), verdict.margin, verdict.alpha);
  }
  fill_flags(evidence, verdict);
  verdict.reason = reason(verdict, facts);
}

}  // namespace

std::string_view word_name(Word word) {
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

bool Verdict::has_flag(std::string_view flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

double percent(double d) { return 100 * std::expm1(d); }

absl::StatusOr<Verdict> judge(const Evidence& evidence) {
  if (auto status = check_terms(evidence); !status.ok()) return status;
  absl::StatusOr<Pairs> pairs = pair_up(evidence);
  if (!pairs.ok()) return pairs.status();
  Verdict verdict;
  verdict.metric = std::string(evidence.metric.name);
  verdict.unit = std::string(evidence.metric.unit);
  verdict.better = std::string(better_name(evidence.metric.better));
  verdict.alpha = evidence.alpha;
  verdict.primary = evidence.primary;
  verdict.rounds = static_cast<uint32_t>(pairs->a.size());
  verdict.unpaired_rounds = pairs->unpaired;
  const bool ratio = evidence.metric.scale == Scale::kRatio && !pairs->log_ratio.empty();
  verdict.scale = ratio ? Scale::kRatio : Scale::kAbsolute;
  verdict.margin = ratio ? evidence.margin_ratio.value_or(evidence.metric.margin_ratio)
                         : evidence.metric.margin_absolute;
  if (verdict.rounds == 0) {
    verdict.reason = reason(verdict, {});
    return verdict;
  }
  verdict.a = median(pairs->a);
  verdict.b = median(pairs->b);
  if (evidence.metric.exact_possible && verdict.rounds >= 2 && unvarying(pairs->a) &&
      unvarying(pairs->b)) {
    fill_exact(evidence, *pairs, verdict);
  } else {
    fill_inference(evidence, *pairs, verdict);
    // The medians of both arms may differ the other way than the paired estimate does.
    if (verdict.estimate) {
      verdict.b = ratio ? *verdict.a * std::exp(*verdict.estimate) : *verdict.a + *verdict.estimate;
    }
  }
  if (!verdict.unpaired_rounds.empty()) {
    absl::StrAppend(&verdict.reason, "; left out, as one arm has no value: round ",
                    absl::StrJoin(verdict.unpaired_rounds, ", "));
  }
  return verdict;
}

absl::StatusOr<std::vector<Verdict>> judge_together(std::span<const Evidence> evidence) {
  std::vector<Verdict> verdicts;
  std::vector<size_t> cells;
  std::vector<double> p;
  for (const Evidence& one : evidence) {
    absl::StatusOr<Verdict> verdict = judge(one);
    if (!verdict.ok()) return verdict.status();
    if (!one.primary && verdict->p) {
      cells.push_back(verdicts.size());
      p.push_back(*verdict->p);
    }
    verdicts.push_back(*std::move(verdict));
  }
  const std::vector<bool> kept = benjamini_hochberg(p);
  const std::vector<bool> may_gate = benjamini_yekutieli(p);
  for (size_t i = 0; i < cells.size(); ++i) {
    Verdict& verdict = verdicts[cells[i]];
    verdict.gates = verdict.gates && may_gate[i];
    const bool change = verdict.word == Word::kImproved || verdict.word == Word::kRegressed ||
                        verdict.word == Word::kSmall;
    if (kept[i] || !change) continue;
    verdict.word = Word::kInconclusive;
    std::erase(verdict.flags, "certain");
    verdict.reason = reason_not_kept(verdict, cells.size());
  }
  return verdicts;
}

}  // namespace hotlap::plan
