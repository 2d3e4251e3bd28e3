#include "harness/plan/stop_rule.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hotlap::plan {
namespace {

bool Significant(const Verdict& verdict) {
  switch (verdict.word) {
    case Word::kImproved:
    case Word::kRegressed:
    case Word::kSmall:
      return true;
    // Found and yet within the margin: p says so.
    case Word::kEquivalent:
      return verdict.interval->Excludes(0) && *verdict.p <= verdict.alpha;
    default:
      return false;
  }
}

bool Conclusive(const Verdict& verdict) {
  return Significant(verdict) || verdict.word == Word::kEquivalent || verdict.word == Word::kExact;
}

std::string StopReason(const Decision& decision, uint32_t rounds) {
  if (!decision.early) {
    return absl::StrFormat("the last look, at %u rounds", rounds);
  }
  if (decision.leans) {
    return absl::StrFormat(
        "stopped early at the look at %u rounds: p <= %.4g; the estimate leans "
        "away from 0",
        rounds, decision.alpha);
  }
  return absl::StrFormat(
      "stopped early at the look at %u rounds: the interval at p = %.4g lies "
      "within the margin, or the counts are exact",
      rounds, decision.alpha);
}

}  // namespace

absl::StatusOr<Decision> Decide(const Looks& looks, const std::vector<Evidence>& primary) {
  if (primary.empty()) {
    return absl::InvalidArgumentError("a stop rule without a primary metric: give one Evidence");
  }
  size_t rounds = primary.front().rounds.size();
  for (const Evidence& one : primary) rounds = std::min(rounds, one.rounds.size());
  const auto n = static_cast<uint32_t>(rounds);
  Decision decision;
  const bool last = n >= looks.MaxRounds();
  const Look* look = last ? &looks.Last() : looks.At(n);
  const Look& next = looks.Next(look ? n + 1 : n);
  decision.alpha = look ? look->alpha : next.alpha;
  decision.next_look = next.rounds;
  decision.reason = absl::StrCat("waits for the look at ", next.rounds, " rounds");
  if (!look) return decision;
  bool all = true;
  for (Evidence one : primary) {
    one.primary = true;
    one.at_look = true;
    one.alpha = look->alpha;
    one.leans = false;
    absl::StatusOr<Verdict> verdict = Judge(one);
    if (!verdict.ok()) return verdict.status();
    all = all && Conclusive(*verdict);
    decision.verdicts.push_back(*std::move(verdict));
  }
  decision.stop = last || all;
  decision.early = decision.stop && !last;
  if (!decision.stop) {
    decision.alpha = next.alpha;
    return decision;
  }
  decision.next_look = 0;
  for (Verdict& verdict : decision.verdicts) {
    if (!decision.early || !Significant(verdict)) continue;
    decision.leans = true;
    verdict.flags.emplace_back("leans");
  }
  decision.reason = StopReason(decision, n);
  return decision;
}

}  // namespace hotlap::plan
