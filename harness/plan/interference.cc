#include "harness/plan/interference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/plan/hodges_lehmann.h"

namespace hotlap::plan {
namespace {

struct Sum {
  double logs = 0;
  uint32_t count = 0;
};

// An arm's slices of one round, by what ran before them.
struct AfterSlices {
  Sum own;
  Sum other;
};

auto place(const SliceValue& slice) {
  return std::tuple(slice.round, slice.set, slice.block, slice.position);
}

// Where a slice between two was left out, nobody knows what it left behind.
bool follows(const SliceValue& slice, const SliceValue& before, uint32_t arms) {
  if (before.round != slice.round || before.set != slice.set) return false;
  if (before.block == slice.block) return before.position + 1 == slice.position;
  return before.block + 1 == slice.block && before.position + 1 == arms && slice.position == 0;
}

absl::Status check_slice(const SliceValue& slice, uint32_t arms) {
  if (std::isfinite(slice.value) && slice.value > 0 && slice.arm < arms) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "slice at round ", slice.round, ", set ", slice.set, ", block ", slice.block, ", position ",
      slice.position, " has arm ", slice.arm, " and value ", slice.value,
      ": the arm must be below ", arms, " and the value positive; leave an empty slice out"));
}

CarryOver estimate(uint32_t arm, const std::map<uint32_t, AfterSlices>& rounds, double margin,
                   double alpha) {
  CarryOver result;
  result.arm = arm;
  std::vector<double> differences;
  for (const auto& [round, after] : rounds) {
    if (after.own.count == 0 || after.other.count == 0) continue;
    differences.push_back(after.other.logs / after.other.count - after.own.logs / after.own.count);
  }
  result.rounds = static_cast<uint32_t>(differences.size());
  if (differences.empty()) return result;
  result.estimate = hodges_lehmann(differences);
  result.interval = hodges_lehmann_interval(differences, alpha);
  result.interference =
      result.interval && result.interval->excludes(0) && std::abs(*result.estimate) > 0.5 * margin;
  return result;
}

}  // namespace

absl::StatusOr<std::vector<CarryOver>> estimate_carry_over(std::span<const SliceValue> slices,
                                                           uint32_t arms, double margin,
                                                           double alpha) {
  std::vector<SliceValue> sorted(slices.begin(), slices.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const SliceValue& x, const SliceValue& y) { return place(x) < place(y); });
  std::vector<std::map<uint32_t, AfterSlices>> by_arm(arms);
  for (size_t i = 0; i < sorted.size(); ++i) {
    const SliceValue& slice = sorted[i];
    if (auto status = check_slice(slice, arms); !status.ok()) return status;
    if (i == 0 || !follows(slice, sorted[i - 1], arms)) continue;
    const SliceValue& before = sorted[i - 1];
    AfterSlices& after = by_arm[slice.arm][slice.round];
    Sum& sum = before.arm == slice.arm ? after.own : after.other;
    sum.logs += std::log(slice.value);
    ++sum.count;
  }
  std::vector<CarryOver> result;
  for (uint32_t arm = 0; arm < arms; ++arm) {
    result.push_back(estimate(arm, by_arm[arm], margin, alpha));
  }
  return result;
}

std::optional<double> outside_share(int64_t cpu_ns, int64_t cpu_own_slices_ns) {
  if (cpu_ns <= 0) return std::nullopt;
  return static_cast<double>(cpu_ns - cpu_own_slices_ns) / static_cast<double>(cpu_ns);
}

}  // namespace hotlap::plan
