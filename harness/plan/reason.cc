#include "harness/plan/reason.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/plan/hodges_lehmann.h"

namespace hotlap::plan {
namespace {

std::string PrintedInterval(const Verdict& verdict) {
  return absl::StrCat("[", Printed(verdict, verdict.interval->low), ", ",
                      Printed(verdict, verdict.interval->high), "]");
}

// "2.31 % lower than A's", so that no reader has to know the sign's convention.
std::string Compared(const Verdict& verdict) {
  const double d = *verdict.estimate;
  if (d == 0) return "equal to A's";
  return absl::StrCat(Printed(verdict, d, false), d < 0 ? " lower" : " higher", " than A's");
}

std::string ExactReason(const Verdict& verdict) {
  if (*verdict.a == *verdict.b) {
    return absl::StrFormat("%s is exactly %.6g in every one of %u rounds of both arms",
                           verdict.metric, *verdict.a, verdict.rounds);
  }
  return absl::StrFormat("%s is exactly %.6g in A and %.6g in B, in every one of %u rounds",
                         verdict.metric, *verdict.a, *verdict.b, verdict.rounds);
}

std::string TooFewReason(const Verdict& verdict) {
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

std::string OpenReason(const Verdict& verdict, const ReasonFacts& facts) {
  const std::string interval = PrintedInterval(verdict);
  const std::string margin = PrintedMargin(verdict, verdict.margin);
  if (facts.floor_decides && verdict.interval->Within(verdict.margin)) {
    return absl::StrCat("the interval ", interval, " lies within the margin of ", margin,
                        ", but this machine's A/A floor of ",
                        PrintedMargin(verdict, facts.threshold), " is above that margin");
  }
  std::string text;
  if (verdict.interval->Excludes(0)) {
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

std::string Printed(const Verdict& verdict, double d, bool sign) {
  if (verdict.scale == Scale::kRatio) {
    const double percent = Percent(d);
    if (sign) return absl::StrFormat("%+.2f %%", percent);
    return absl::StrFormat("%.2f %%", percent < 0 ? -percent : percent);
  }
  const std::string unit = verdict.unit == "1" ? "" : absl::StrCat(" ", verdict.unit);
  if (sign) return absl::StrFormat("%+.4g%s", d, unit);
  return absl::StrFormat("%.4g%s", d < 0 ? -d : d, unit);
}

std::string PrintedMargin(const Verdict& verdict, double margin) {
  if (verdict.scale == Scale::kRatio) return absl::StrFormat("%.2f %%", 100 * margin);
  return Printed(verdict, margin, false);
}

std::string Reason(const Verdict& verdict, const ReasonFacts& facts) {
  if (verdict.word == Word::kExact) return ExactReason(verdict);
  if (!verdict.interval) return TooFewReason(verdict);
  const std::string margin = PrintedMargin(verdict, verdict.margin);
  if (!facts.at_look) {
    return absl::StrFormat(
        "after %u rounds the run is between two looks: the interval %s is "
        "shown, and nothing is concluded before the next",
        verdict.rounds, PrintedInterval(verdict));
  }
  const std::string found =
      absl::StrCat(verdict.metric, " of B is ", Compared(verdict), " ", PrintedInterval(verdict));
  switch (verdict.word) {
    case Word::kImproved:
    case Word::kRegressed:
      return absl::StrCat(found, verdict.HasFlag("certain") ? ", all of it" : "",
                          " beyond the margin of ", margin);
    case Word::kEquivalent:
      return absl::StrCat("the interval ", PrintedInterval(verdict), " lies within the margin of ",
                          margin);
    case Word::kSmall:
      return absl::StrCat(found, ": found, but below the ",
                          facts.floor_decides ? "machine's A/A floor of " : "margin of ",
                          PrintedMargin(verdict, facts.threshold));
    default:
      return OpenReason(verdict, facts);
  }
}

std::string ReasonNotKept(const Verdict& verdict, size_t metrics) {
  return absl::StrFormat(
      "the interval %s excludes 0, but p = %.4g does not hold beside the other "
      "exploratory metrics (Benjamini-Hochberg at 10 %% over %u)",
      PrintedInterval(verdict), *verdict.p, metrics);
}

}  // namespace hotlap::plan
