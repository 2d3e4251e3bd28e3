// Milliseconds of a plan to whole blocks; see round_lengths.h.
#include "harness/agent/round_lengths.h"

#include <algorithm>
#include <cmath>

#include "harness/plan/random.h"

namespace hotlap::agent {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr uint32_t kCountingSets = 1;
constexpr double kCountingSetMs = 100;
constexpr double kCountingWarmupMs = 20;
constexpr uint32_t kFewSets = 2;

}  // namespace

RoundLengths round_lengths(const hotlap::v1::Experiment& experiment, const std::string& pass) {
  const bool counting = pass == kCountingPass;
  const auto& plan = experiment.plan();
  const double block_ms = plan.slice_ms() * experiment.arms_size();
  const double set_ms = counting ? kCountingSetMs : plan.set_ms();
  const double warmup_ms = counting ? kCountingWarmupMs : plan.warmup_ms();
  RoundLengths lengths;
  lengths.slice_ns = std::llround(plan.slice_ms() * kNsPerMs);
  lengths.sets = counting ? kCountingSets : plan.sets();
  if (pass == kCostPass || pass == kEventsPass) lengths.sets = std::min(plan.sets(), kFewSets);
  lengths.blocks_per_set = static_cast<uint32_t>(std::max(1.0, std::round(set_ms / block_ms)));
  lengths.warmup_blocks = static_cast<uint32_t>(std::round(warmup_ms / block_ms));
  return lengths;
}

hotlap::v1::Workload pass_workload(const hotlap::v1::Experiment& experiment,
                                   const std::string& pass) {
  hotlap::v1::Workload workload = experiment.workload();
  if (pass == kCountingPass) {
    workload.set_connections(1);
    workload.set_threads(1);
  }
  return workload;
}

hotlap::v1::Workload round_workload(const hotlap::v1::Experiment& experiment,
                                    const std::string& pass, uint32_t index) {
  hotlap::v1::Workload workload = pass_workload(experiment, pass);
  if (!workload.has_ids()) return workload;
  workload.mutable_ids()->set_seed(plan::Random(workload.ids().seed(), "ids", index).next());
  return workload;
}

}  // namespace hotlap::agent
