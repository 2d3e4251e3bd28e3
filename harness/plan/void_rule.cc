#include "harness/plan/void_rule.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "harness/plan/distribution.h"
#include "harness/plan/multiple.h"

namespace hotlap::plan {
namespace {

bool above_share(int64_t part_ns, int64_t round_ns) {
  return static_cast<double>(part_ns) > kVoidShare * static_cast<double>(round_ns);
}

// What is accounted in ticks needs some of them before it can be believed.
bool above_ticks(int64_t part_ns, int64_t round_ns) {
  return part_ns >= kVoidTicks * kStealTick_ns && above_share(part_ns, round_ns);
}

std::string cause_text(const char* cause, int64_t part_ns, const char* where, int64_t round_ns) {
  const double share =
      round_ns > 0 ? 100.0 * static_cast<double>(part_ns) / static_cast<double>(round_ns) : 100.0;
  return absl::StrFormat("%s: %.1f ms %s, %.1f %% of the round", cause,
                         static_cast<double>(part_ns) * 1e-6, where, share);
}

}  // namespace

std::optional<std::string> void_cause(const Disturbance& disturbance) {
  const int64_t round_ns = disturbance.round_ns;
  if (const auto steal = disturbance.steal_ns; steal && above_ticks(*steal, round_ns)) {
    return cause_text("steal", *steal, "on the servers' CPUs", round_ns);
  }
  if (const auto late = disturbance.generator_late_ns; late && above_share(*late, round_ns)) {
    return cause_text("late generator", *late, "late in all", round_ns);
  }
  if (const auto other = disturbance.other_load_ns; other && above_ticks(*other, round_ns)) {
    return cause_text("other load", *other, "of other processes on the servers' CPUs", round_ns);
  }
  return std::nullopt;
}

double void_imbalance_p(uint32_t voids_a, uint32_t voids_b) {
  const uint32_t fewer = std::min(voids_a, voids_b);
  return std::min(1.0, 2 * binomial_at_most(fewer, voids_a + voids_b));
}

std::optional<std::string> run_invalid(uint32_t kept, uint32_t voided,
                                       std::span<const uint32_t> voids_by_arm) {
  const uint64_t all = static_cast<uint64_t>(kept) + voided;
  if (static_cast<double>(voided) > kMaxVoidShare * static_cast<double>(all)) {
    return absl::StrFormat(
        "%u of %u rounds are void, more than %.0f %%: quiet the machine, or "
        "place servers and load on other CPUs",
        voided, all, 100 * kMaxVoidShare);
  }
  std::vector<double> p;
  for (size_t arm = 1; arm < voids_by_arm.size(); ++arm) {
    p.push_back(void_imbalance_p(voids_by_arm[0], voids_by_arm[arm]));
  }
  const std::vector<bool> unequal = holm(p, kVoidAlpha);
  for (size_t i = 0; i < p.size(); ++i) {
    if (!unequal[i]) continue;
    return absl::StrFormat(
        "void rounds fall on one side: %u in slices of the first arm, %u in "
        "those of arm %u (p = %.3g): what voids them may be the arm itself",
        voids_by_arm[0], voids_by_arm[i + 1], i + 2, p[i]);
  }
  return std::nullopt;
}

uint32_t max_void_rounds(uint32_t max_rounds) { return max_rounds / 4; }

}  // namespace hotlap::plan
