// The plans: after how many rounds a run may be looked at, and at which p a look may conclude.
// Fixed before the first round. Promises a family-wise false-alarm rate of 5 % per plan, to within
// 0.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::plan {

inline constexpr uint32_t kMaxRounds = 1000;  // the exact distributions stay within a double

struct Look {
  uint32_t rounds = 0;
  double alpha = 0;  // conclude at p <= alpha, and by intervals at 1 - alpha
};

struct Looks {
  std::string name;         // "quick", "ci", "fixed:24"
  std::vector<Look> looks;  // by rounds, ascending; never empty

  uint32_t max_rounds() const { return looks.back().rounds; }
  const Look& last() const { return looks.back(); }
  // The look at exactly this many rounds; null in between.
  const Look* at(uint32_t rounds) const;
  // The first look at this many rounds or more; the last one beyond it. Its alpha is that of the
  // intervals shown while a run is between looks, or was interrupted there.
  const Look& next(uint32_t rounds) const;
};

Looks quick_looks();  // Pocock (1977), three looks
Looks ci_looks();     // Haybittle-Peto, five looks
absl::StatusOr<Looks> fixed_looks(uint32_t rounds);

// "quick", "ci" or "fixed:N"; the error lists what exists.
absl::StatusOr<Looks> parse_looks(std::string_view text);

}  // namespace hotlap::plan
