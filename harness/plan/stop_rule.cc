#include "harness/plan/stop_rule.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hotlap::plan {
namespace {

bool significant(const Verdict& verdict) {
  switch (verdict.word) {
    case Word::kImproved:
    case Word::kRegressed:
    case Word::kSmall:
      return true;
    // Found and yet within the margin: p says so.
    case Word::kEquivalent:
      return verdict.interval->excludes(0) && *verdict.p <= verdict.alpha;
    default:
      return false;
  }
}

bool conclusive(const Verdict& verdict) {
  return significant(verdict) || verdict.word == Word::kEquivalent || verdict.word == Word::kExact;
}

std::string stop_reason(const Decision& decision, uint32_t rounds) {
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

absl::StatusOr<Decision> decide(const Looks& looks, const std::vector<Evidence>& primary) {
  if (primary.empty()) {
    return absl::InvalidArgumentError("a stop rule without a primary metric: give one Evidence");
  }
  size_t rounds = primary.front().rounds.size();
  for (const Evidence& one : primary) rounds = std::min(rounds, one.rounds.size());
  const auto n = static_cast<uint32_t>(rounds);
  Decision decision;
  const bool last = n >= looks.max_rounds();
  const Look* look = last ? &looks.last() : looks.at(n);
  const Look& next = looks.next(look ? n + 1 : n);
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
    absl::StatusOr<Verdict> verdict = judge(one);
    if (!verdict.ok()) return verdict.status();
    all = all && conclusive(*verdict);
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
    if (!decision.early || !significant(verdict)) continue;
    decision.leans = true;
    verdict.flags.emplace_back("leans");
  }
  decision.reason = stop_reason(decision, n);
  return decision;
}

}  // namespace hotlap::plan
