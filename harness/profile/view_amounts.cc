// See view_amounts.h.
#include "harness/profile/view_amounts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "harness/profile/turn_sums.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::Amount;
using hotlap::v1::View;
using hotlap::v1::ViewRow;

using Field = double Amounts::*;
// The sums of one turn with so many requests.
using SumsOf = std::function<TurnSums(const TurnAmounts&, double requests)>;
// What of a turn belongs to a row.
using PartOf = std::function<Amounts(const TurnAmounts&)>;

Series series_of(const ViewTally& arm, const SumsOf& sums_of) {
  Series series;
  for (size_t i = 0; i < arm.turns().size(); ++i) {
    series.add(sums_of(arm.by_turn()[i], static_cast<double>(arm.turns()[i].requests)));
  }
  return series;
}

Amount amount_of(const std::vector<const ViewTally*>& arms, const SumsOf& sums_of) {
  Amount amount;
  std::vector<Series> all;
  for (const ViewTally* arm : arms) {
    const Series& series = all.emplace_back(series_of(*arm, sums_of));
    auto* message = amount.add_arms();
    message->set_per_request(series.sum.per_request().value_or(0));
    message->set_seen(series.sum.part > 0);
    if (const auto error = error_of(series)) message->set_standard_error(*error);
  }
  if (all.size() < 2) return amount;
  amount.set_difference(amount.arms(1).per_request() - amount.arms(0).per_request());
  if (const auto error = error_of_difference(all[0], all[1])) {
    amount.set_difference_standard_error(*error);
  }
  return amount;
}

// A share of the total.
Amount share_of(const std::vector<const ViewTally*>& arms, Field field, const PartOf& part_of) {
  return amount_of(arms, [&](const TurnAmounts& turn, double requests) -> TurnSums {
    return {part_of(turn).*field, turn.sampled.*field, turn.total.*field, requests};
  });
}

// What was counted itself.
Amount count_of(const std::vector<const ViewTally*>& arms,
                const std::function<double(const TurnAmounts&)>& count) {
  return amount_of(arms, [&count](const TurnAmounts& turn, double requests) {
    return counted(count(turn), requests);
  });
}

ViewRow row_of(const std::vector<const ViewTally*>& arms, const PartOf& part_of) {
  ViewRow row;
  *row.mutable_first() = share_of(arms, &Amounts::first, part_of);
  *row.mutable_second() = share_of(arms, &Amounts::second, part_of);
  return row;
}

ViewRow counted_row(const std::vector<const ViewTally*>& arms, const PartOf& part_of) {
  ViewRow row;
  const auto in = [&](Field field) {
    return count_of(arms, [&](const TurnAmounts& turn) { return part_of(turn).*field; });
  };
  *row.mutable_first() = in(&Amounts::first);
  *row.mutable_second() = in(&Amounts::second);
  return row;
}

template <typename Key>
using ByKey = std::map<Key, Amounts> TurnAmounts::*;

template <typename Key>
PartOf part_of_key(ByKey<Key> amounts, const Key& key) {
  return [amounts, &key](const TurnAmounts& turn) {
    const auto found = (turn.*amounts).find(key);
    return found == (turn.*amounts).end() ? Amounts() : found->second;
  };
}

template <typename Key>
std::set<Key> keys_of(const std::vector<const ViewTally*>& arms, ByKey<Key> amounts) {
  std::set<Key> keys;
  for (const ViewTally* arm : arms) {
    for (const TurnAmounts& turn : arm->by_turn()) {
      for (const auto& [key, amount] : turn.*amounts) keys.insert(key);
    }
  }
  return keys;
}

Amounts earlier_in(const TurnAmounts& turn) { return turn.earlier; }

bool has_earlier(const std::vector<const ViewTally*>& arms) {
  return std::any_of(arms.begin(), arms.end(), [](const ViewTally* arm) {
    return std::any_of(arm->by_turn().begin(), arm->by_turn().end(),
                       [](const TurnAmounts& turn) { return turn.earlier.first > 0; });
  });
}

double weight(const Amount& amount) {
  return amount.has_difference() ? std::abs(amount.difference()) : amount.arms(0).per_request();
}

void sort_by_weight(google::protobuf::RepeatedPtrField<ViewRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ViewRow& left, const ViewRow& right) {
    return std::make_pair(weight(left.first()), weight(left.second())) >
           std::make_pair(weight(right.first()), weight(right.second()));
  });
}

void add_more(const std::string& name, const std::string& unit, Amount amount, View& view) {
  auto* more = view.add_more();
  more->set_name(name);
  more->set_unit(unit);
  *more->mutable_amount() = std::move(amount);
}

}  // namespace

void fill_amounts(const std::vector<const ViewTally*>& arms, View& view) {
  for (const std::string& stage : keys_of(arms, &TurnAmounts::stages)) {
    ViewRow& row = *view.add_stages() = row_of(arms, part_of_key(&TurnAmounts::stages, stage));
    row.set_stage(stage);
  }
  for (const SiteKey& site : keys_of(arms, &TurnAmounts::sites)) {
    ViewRow& row = *view.add_sites() = row_of(arms, part_of_key(&TurnAmounts::sites, site));
    row.set_stage(site.stage);
    row.set_function(site.function);
    row.set_object(site.object);
    row.set_system_call(site.system_call);
    row.set_idle(waits_for_work(site.system_call));
  }
  if (has_earlier(arms)) {
    ViewRow row = counted_row(arms, earlier_in);
    row.set_stage(kBeganEarlier);
    *view.add_stages() = row;
    row.set_function("[stack not seen]");
    *view.add_sites() = row;
  }
  sort_by_weight(*view.mutable_stages());
  sort_by_weight(*view.mutable_sites());
  *view.mutable_total() = counted_row(arms, [](const TurnAmounts& turn) {
    Amounts sum = turn.total;
    return sum += turn.earlier;
  });
  if (view.name() != kOffCpuView) return;
  add_more("idle", "ns",
           share_of(arms, &Amounts::first, [](const TurnAmounts& turn) { return turn.idle; }),
           view);
  add_more("woken", "ns", count_of(arms, [](const TurnAmounts& turn) { return turn.woken_ns; }),
           view);
  add_more("preempted", "ns",
           count_of(arms, [](const TurnAmounts& turn) { return turn.preempted_ns; }), view);
  add_more(
      "preemptions", "",
      count_of(arms, [](const TurnAmounts& turn) { return static_cast<double>(turn.preemptions); }),
      view);
}

}  // namespace hotlap::profile
