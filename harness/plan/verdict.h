// The rule that turns the round values of two arms into a verdict, and that rule's words. B is
// compared with A, the reference. One call costs O(n^3), well under a millisecond at 60 rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/plan/interval.h"
#include "harness/plan/metric.h"

namespace hotlap::plan {

enum class Word { kExact, kImproved, kRegressed, kEquivalent, kSmall, kInconclusive };
std::string_view word_name(Word word);  // "exact", "improved", …

// One metric of both arms in one round that counts (void rounds are left out before). A value is
// absent where it was not measured; a round that lacks either is left out, and listed.
struct RoundValues {
  uint32_t round = 0;
  std::optional<double> a;
  std::optional<double> b;
};

struct Evidence {
  Metric metric;
  std::vector<RoundValues> rounds;  // in any order; a round's index may occur once
  double alpha = 0.05;              // of the look at which this is judged
  bool at_look = true;  // false: interrupted between looks, so that nothing is concluded
  bool primary = false;
  bool leans = false;                  // the run was stopped early by significance
  std::optional<double> margin_ratio;  // overrides the metric's delta
  std::optional<double> floor;         // phi at this n, from the ledger, on the scale of d
  // By round, optional: the 20 % trimmed mean over blocks of ln(B / A), for `bursty`.
  std::vector<double> typical;
  bool interference = false;  // from CarryOver
  bool not_steady = false;    // from AgeSlope
};

struct Verdict {
  std::string metric;
  std::string unit;
  std::string better;
  Word word = Word::kInconclusive;
  std::string reason;              // one sentence for a reader
  std::vector<std::string> flags;  // skew, bursty, interference, not steady, certain, leans
  std::optional<double> a;         // median over rounds
  std::optional<double> b;         // a moved by the estimate, so that the three agree
  // On the scale on which the verdict was reached: ln(B / A), or B - A.
  Scale scale = Scale::kRatio;
  double margin = 0;
  double alpha = 0;
  std::optional<double> estimate;
  std::optional<Interval> interval;
  std::optional<Interval> median_interval;  // sign test
  std::optional<double> typical;            // trimmed mean of Evidence::typical
  std::optional<Interval> typical_interval;
  std::optional<double> standard_error;
  std::optional<double> resolution;
  std::optional<double> gate_point;
  // As printed. Percent is 100 * (e^d - 1), absent where a value is zero or negative.
  std::optional<double> estimate_percent;
  std::optional<Interval> interval_percent;
  std::optional<double> estimate_absolute;
  std::optional<Interval> interval_absolute;
  std::optional<double> resolution_percent;  // ratio scale only
  std::optional<double> gate_point_percent;
  std::optional<double> p;                   // absent for exact, and for fewer than kMinRounds
  std::optional<uint32_t> rounds_to_decide;  // inconclusive only
  uint32_t rounds = 0;                       // that both arms have
  std::vector<uint32_t> unpaired_rounds;     // left out: one arm has no value
  bool primary = false;
  // A change for the worse of at least delta: `regressed`, or `exact` in that direction.
  bool gates = false;

  bool has_flag(std::string_view flag) const;
};

// 100 * (e^d - 1).
double percent(double d);

// Errors name the metric, the arm and the round: a value that is not finite, a round twice, a
// negative value on the ratio scale.
absl::StatusOr<Verdict> judge(const Evidence& evidence);

// Judges all, then holds the exploratory ones (not primary) together: of those neither exact nor
// without a p, a change counts only if Benjamini-Hochberg at 10 % over them keeps it as well.
absl::StatusOr<std::vector<Verdict>> judge_together(std::span<const Evidence> evidence);

}  // namespace hotlap::plan
