// See costs.h.
#include "harness/profile/costs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/plan/distribution.h"
#include "harness/profile/turn_sums.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::Cost;

constexpr double kIntervalEnd = 0.975;

// How many samples of a turn belong to a row.
using CountOf = std::function<int64_t(const TurnSamples&)>;

Series series_of(const Tally& arm, const CountOf& count_of) {
  Series series;
  for (size_t i = 0; i < arm.turns().size(); ++i) {
    const TurnSamples& samples = arm.by_turn()[i];
    const Turn& turn = arm.turns()[i];
    series.add({static_cast<double>(count_of(samples)), static_cast<double>(samples.samples),
                static_cast<double>(turn.cpu_ns), static_cast<double>(turn.requests)});
  }
  return series;
}

Cost cost_of(const std::vector<const Tally*>& arms, const CountOf& count_of) {
  Cost cost;
  std::vector<Series> all;
  for (const Tally* arm : arms) {
    const Series& series = all.emplace_back(series_of(*arm, count_of));
    auto* message = cost.add_arms();
    message->set_samples(static_cast<uint64_t>(series.sum.part));
    message->set_ns(series.sum.per_request().value_or(0));
    if (const auto error = error_of(series)) message->set_standard_error_ns(*error);
  }
  if (all.size() < 2) return cost;
  cost.set_difference_ns(cost.arms(1).ns() - cost.arms(0).ns());
  if (const auto error = error_of_difference(all[0], all[1])) {
    cost.set_difference_standard_error_ns(*error);
  }
  return cost;
}

template <typename Key>
using Counts = std::map<Key, int64_t> TurnSamples::*;

template <typename Key>
CountOf count_of_key(Counts<Key> counts, const Key& key) {
  return [counts, &key](const TurnSamples& turn) -> int64_t {
    const auto found = (turn.*counts).find(key);
    return found == (turn.*counts).end() ? 0 : found->second;
  };
}

template <typename Key>
std::set<Key> keys_of(const std::vector<const Tally*>& arms, Counts<Key> counts) {
  std::set<Key> keys;
  for (const Tally* arm : arms) {
    for (const TurnSamples& turn : arm->by_turn()) {
      for (const auto& [key, count] : turn.*counts) keys.insert(key);
    }
  }
  return keys;
}

double weight(const Cost& cost) {
  return cost.has_difference_ns() ? std::abs(cost.difference_ns()) : cost.arms(0).ns();
}

void sort_by_weight(std::vector<Cost>& costs) {
  std::stable_sort(costs.begin(), costs.end(), [](const Cost& left, const Cost& right) {
    return weight(left) > weight(right);
  });
}

std::vector<Cost> costs_by_function(const std::vector<const Tally*>& arms,
                                    Counts<FunctionKey> counts) {
  std::vector<Cost> costs;
  for (const FunctionKey& key : keys_of(arms, counts)) {
    Cost& cost = costs.emplace_back(cost_of(arms, count_of_key(counts, key)));
    cost.set_stage(key.stage);
    cost.set_function(key.function);
    cost.set_object(key.object);
  }
  sort_by_weight(costs);
  return costs;
}

}  // namespace

std::vector<Cost> stage_costs(const std::vector<const Tally*>& arms) {
  std::vector<Cost> costs;
  for (const std::string& stage : keys_of(arms, &TurnSamples::stages)) {
    Cost& cost = costs.emplace_back(cost_of(arms, count_of_key(&TurnSamples::stages, stage)));
    cost.set_stage(stage);
  }
  sort_by_weight(costs);
  return costs;
}

std::vector<Cost> function_costs(const std::vector<const Tally*>& arms) {
  return costs_by_function(arms, &TurnSamples::functions);
}

std::vector<Cost> system_call_costs(const std::vector<const Tally*>& arms) {
  return costs_by_function(arms, &TurnSamples::system_calls);
}

Cost total_cost(const std::vector<const Tally*>& arms) {
  return cost_of(arms, [](const TurnSamples& turn) { return turn.samples; });
}

std::optional<double> half_of_interval(uint32_t turns, bool known, double standard_error) {
  if (!known || turns < 2) return std::nullopt;
  return plan::student_quantile(kIntervalEnd, turns - 1.0) * standard_error;
}

}  // namespace hotlap::profile
