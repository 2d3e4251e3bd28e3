#include "harness/plan/typical.h"

#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/plan/trimmed_mean.h"

namespace hotlap::plan {
namespace {

struct BlockLogs {
  std::optional<double> reference;
  std::optional<double> arm;
};

}  // namespace

absl::StatusOr<std::vector<double>> typical_by_round(std::span<const SliceValue> slices,
                                                     uint32_t arm) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, BlockLogs> blocks;
  for (const SliceValue& slice : slices) {
    if (slice.arm != 0 && slice.arm != arm) continue;
    if (!std::isfinite(slice.value) || slice.value <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "slice of arm ", slice.arm, " at round ", slice.round, ", set ", slice.set, ", block ",
          slice.block, " has value ", slice.value, ": it must be positive; leave it out"));
    }
    BlockLogs& logs = blocks[{slice.round, slice.set, slice.block}];
    (slice.arm == 0 ? logs.reference : logs.arm) = std::log(slice.value);
  }
  std::map<uint32_t, std::vector<double>> rounds;
  for (const auto& [place, logs] : blocks) {
    if (logs.reference && logs.arm)
      rounds[std::get<0>(place)].push_back(*logs.arm - *logs.reference);
  }
  std::vector<double> typical;
  typical.reserve(rounds.size());
  for (const auto& [round, values] : rounds) typical.push_back(trimmed_mean(values));
  return typical;
}

}  // namespace hotlap::plan
