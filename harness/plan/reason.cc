#include "harness/plan/reason.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/plan/hodges_lehmann.h"

namespace hotlap::plan {
namespace {

std::string printed_interval(const Verdict& verdict) {
  return absl::StrCat("[", printed(verdict, verdict.interval->low), ", ",
                      printed(verdict, verdict.interval->high), "]");
}

// "2.31 % lower than A's", so that no reader has to know the sign's convention.
std::string compared(const Verdict& verdict) {
  const double d = *verdict.estimate;
  if (d == 0) return "equal to A's";
  return absl::StrCat(printed(verdict, d, false), d < 0 ? " lower" : " higher", " than A's");
}

std::string exact_reason(const Verdict& verdict) {
  if (*verdict.a == *verdict.b) {
    return absl::StrFormat("%s is exactly %.6g in every one of %u rounds of both arms",
                           verdict.metric, *verdict.a, verdict.rounds);
  }
  return absl::StrFormat("%s is exactly %.6g in A and %.6g in B, in every one of %u rounds",
                         verdict.metric, *verdict.a, *verdict.b, verdict.rounds);
}

std::string too_few_reason(const Verdict& verdict) {
  if (verdict.rounds == 0) {
    return absl::StrCat(verdict.metric, " has no round in which both arms have a value");
  }
  if (verdict.rounds < kMinRounds) {
    return absl::StrFormat("too few rounds: %u, and an interval needs %u", verdict.rounds,
                           kMinRounds);
  }
  return absl::StrFormat("too few rounds: %u cannot give an interval at p <= %.4g", verdict.rounds,
                         verdict.alpha);
}

std::string open_reason(const Verdict& verdict, const ReasonFacts& facts) {
  const std::string interval = printed_interval(verdict);
  const std::string margin = printed_margin(verdict, verdict.margin);
  if (facts.floor_decides && verdict.interval->within(verdict.margin)) {
    return absl::StrCat("the interval ", interval, " lies within the margin of ", margin,
                        ", but this machine's A/A floor of ",
                        printed_margin(verdict, facts.threshold), " is above that margin");
  }
  std::string text;
  if (verdict.interval->excludes(0)) {
    text = absl::StrFormat("the interval %s excludes 0, but p = %.4g is above %.4g", interval,
                           *verdict.p, verdict.alpha);
  } else {
    text = absl::StrCat("the interval ", interval, " holds 0 and reaches beyond the margin of ",
                        margin);
  }
  if (!verdict.rounds_to_decide) return text;
  if (*verdict.rounds_to_decide <= verdict.rounds) {
    return absl::StrCat(text, "; the estimate lies too near to the margin to be told from it");
  }
  return absl::StrCat(text, "; about ", *verdict.rounds_to_decide, " rounds would decide");
}

}  // namespace

std::string printed(const Verdict& verdict, double d, bool sign) {
  if (verdict.scale == Scale::kRatio) {
    const double change = percent(d);
    if (sign) return absl::StrFormat("%+.2f %%", change);
    return absl::StrFormat("%.2f %%", change < 0 ? -change : change);
  }
  const std::string unit = verdict.unit == "1" ? "" : absl::StrCat(" ", verdict.unit);
  if (sign) return absl::StrFormat("%+.4g%s", d, unit);
  return absl::StrFormat("%.4g%s", d < 0 ? -d : d, unit);
}

std::string printed_margin(const Verdict& verdict, double margin) {
  if (verdict.scale == Scale::kRatio) return absl::StrFormat("%.2f %%", 100 * margin);
  return printed(verdict, margin, false);
}

std::string reason(const Verdict& verdict, const ReasonFacts& facts) {
  if (verdict.word == Word::kExact) return exact_reason(verdict);
  if (!verdict.interval) return too_few_reason(verdict);
  const std::string margin = printed_margin(verdict, verdict.margin);
  if (!facts.at_look) {
    return absl::StrFormat(
        "after %u rounds the run is between two looks: the interval %s is "
        "shown, and nothing is concluded before the next",
        verdict.rounds, printed_interval(verdict));
  }
  const std::string found =
      absl::StrCat(verdict.metric, " of B is ", compared(verdict), " ", printed_interval(verdict));
  switch (verdict.word) {
    case Word::kImproved:
    case Word::kRegressed:
      return absl::StrCat(found, verdict.has_flag("certain") ? ", all of it" : "",
                          " beyond the margin of ", margin);
    case Word::kEquivalent:
      return absl::StrCat("the interval ", printed_interval(verdict), " lies within the margin of ",
                          margin);
    case Word::kSmall:
      return absl::StrCat(found, ": found, but below the ",
                          facts.floor_decides ? "machine's A/A floor of " : "margin of ",
                          printed_margin(verdict, facts.threshold));
    default:
      return open_reason(verdict, facts);
  }
}

std::string reason_not_kept(const Verdict& verdict, size_t metrics) {
  return absl::StrFormat(
      "the interval %s excludes 0, but p = %.4g does not hold beside the other "
      "exploratory metrics (Benjamini-Hochberg at 10 %% over %u)",
      printed_interval(verdict), *verdict.p, metrics);
}

}  // namespace hotlap::plan
