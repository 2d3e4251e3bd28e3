#include "harness/plan/looks.h"

#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hotlap::plan {
namespace {

absl::Status unknown(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("plan '", std::string(text),
                   "' is unknown: give quick (looks at 12, 24, 40 rounds), ci (looks at 12, 24, "
                   "36, 48, 60 rounds) or fixed:N (one look after N rounds, 1 to ",
                   kMaxRounds, ")"));
}

}  // namespace

const Look* Looks::at(uint32_t rounds) const {
  for (const Look& look : looks) {
    if (look.rounds == rounds) return &look;
  }
  return nullptr;
}

const Look& Looks::next(uint32_t rounds) const {
  for (const Look& look : looks) {
    if (look.rounds >= rounds) return look;
  }
  return looks.back();
}

Looks quick_looks() {
  constexpr double kPocock = 0.0221;  // three looks at a family-wise 5 %
  return Looks{"quick", {{12, kPocock}, {24, kPocock}, {40, kPocock}}};
}

Looks ci_looks() {
  return Looks{"ci", {{12, 0.001}, {24, 0.001}, {36, 0.001}, {48, 0.001}, {60, 0.049}}};
}

absl::StatusOr<Looks> fixed_looks(uint32_t rounds) {
  if (rounds == 0 || rounds > kMaxRounds) {
    return absl::InvalidArgumentError(absl::StrCat("plan fixed:", rounds,
                                                   " is out of range: give 1 to ", kMaxRounds,
                                                   " rounds, 6 or more for a verdict"));
  }
  return Looks{absl::StrCat("fixed:", rounds), {{rounds, 0.05}}};
}

absl::StatusOr<Looks> parse_looks(std::string_view text) {
  if (text == "quick") return quick_looks();
  if (text == "ci") return ci_looks();
  constexpr std::string_view kFixed = "fixed:";
  if (!text.starts_with(kFixed)) return unknown(text);
  const std::string_view digits = text.substr(kFixed.size());
  uint32_t rounds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rounds);
  if (error != std::errc() || end != digits.data() + digits.size()) return unknown(text);
  return fixed_looks(rounds);
}

}  // namespace hotlap::plan
