// See view_tally.h.
#include "harness/profile/view_tally.h"

#include <algorithm>
#include <utility>

namespace hotlap::profile {
namespace {

// How long two stretches of time have in common.
double overlap_ns(int64_t begin_ns, int64_t end_ns, const Turn& turn) {
  const int64_t begin = std::max(begin_ns, turn.begin_ns);
  const int64_t end = std::min(end_ns, turn.end_ns);
  return end > begin ? static_cast<double>(end - begin) : 0;
}

bool holds(const Turn& turn, int64_t time_ns) {
  return time_ns >= turn.begin_ns && time_ns < turn.end_ns;
}

SiteKey site_key(const ScriptSample& sample, const std::vector<std::string>& stages,
                 const std::string& charged) {
  SiteKey key{charged, kUnknownFunction, kUnknownFunction, system_call_of(sample)};
  if (const ScriptFrame* site = site_of(sample, stages)) {
    key.function = function_name(*site);
    key.object = object_name(*site);
  }
  return key;
}

void add_squares(const Amounts& amounts, Amounts& squares) {
  squares += {amounts.first * amounts.first, amounts.second * amounts.second};
}

double ratio(double total, double sampled) { return sampled > 0 ? total / sampled : 1; }

}  // namespace

void ViewTally::add_stack(size_t turn, const ScriptSample& sample, const Amounts& amounts,
                          Attribution& attribution) {
  const std::vector<std::string> stages = attribution.stages_of(sample);
  const std::string charged = charge(sample, stages);
  const SiteKey site = site_key(sample, stages, charged);
  StackAmounts& stack = stacks_[frames_.stack_of(sample, stages)];
  stack.stage = charged;
  stack.sum += amounts;
  add_squares(amounts, stack.squares);
  TurnAmounts& sums = by_turn_[turn];
  sums.sampled += amounts;
  sums.stages[charged] += amounts;
  sums.sites[site] += amounts;
  if (waits_for_work(site.system_call)) sums.idle += amounts;
}

void ViewTally::add_sleep(size_t turn, const Wait& wait, const Amounts& amounts,
                          Attribution& attribution) {
  if (wait.begin_ns == Wait::kEarlier) {
    by_turn_[turn].earlier += amounts;
    earlier_.sum += amounts;
    add_squares(amounts, earlier_.squares);
    return;
  }
  by_turn_[turn].total += amounts;
  if (wait.sample == nullptr) return;
  add_stack(turn, *wait.sample, amounts, attribution);
  if (amounts.second > 0) ++stacks_taken_;
}

void ViewTally::add(const Wait& wait, Attribution& attribution) {
  auto turn = std::partition_point(turns_.begin(), turns_.end(), [&wait](const Turn& each) {
    return each.end_ns <= wait.begin_ns;
  });
  for (; turn != turns_.end() && turn->begin_ns < wait.end_ns; ++turn) {
    const auto index = static_cast<size_t>(turn - turns_.begin());
    TurnAmounts& sums = by_turn_[index];
    processes_.insert(wait.process);
    threads_.insert(wait.thread);
    const double waited_ns = overlap_ns(wait.ready_ns, wait.end_ns, *turn);
    const bool begins_here = holds(*turn, wait.begin_ns);
    if (wait.kind == WaitKind::kPreempted) {
      sums.preempted_ns += waited_ns;
      sums.preemptions += begins_here ? 1 : 0;
      continue;
    }
    sums.woken_ns += waited_ns;
    if (wait.kind == WaitKind::kNew) continue;
    const Amounts amounts{overlap_ns(wait.begin_ns, wait.ready_ns, *turn), begins_here ? 1.0 : 0.0};
    if (amounts.first > 0 || amounts.second > 0) add_sleep(index, wait, amounts, attribution);
  }
}

void ViewTally::add(const ScriptSample& sample, double bytes, double every,
                    Attribution& attribution) {
  const auto turn = turn_at(turns_, sample.time_ns);
  if (!turn) return;
  by_turn_[*turn].total += {every * bytes, every};
  add_stack(*turn, sample, {bytes, 1}, attribution);
  ++stacks_taken_;
  processes_.insert(sample.process);
  threads_.insert(sample.thread);
}

int64_t ViewTally::requests() const {
  int64_t sum = 0;
  for (const Turn& turn : turns_) sum += turn.requests;
  return sum;
}

void ViewTally::fill(hotlap::v1::ViewArm& arm) const {
  arm.set_requests(static_cast<uint64_t>(requests()));
  arm.set_turns(static_cast<uint32_t>(turns_.size()));
  arm.set_stacks_taken(static_cast<uint64_t>(stacks_taken_));
  arm.set_processes(static_cast<uint32_t>(processes_.size()));
  arm.set_threads(static_cast<uint32_t>(threads_.size()));
  int64_t load_ns = 0;
  int64_t cpu_ns = 0;
  for (const Turn& turn : turns_) {
    load_ns += turn.end_ns - turn.begin_ns;
    cpu_ns += turn.cpu_ns;
  }
  arm.set_load_ns(load_ns);
  arm.set_cpu_ns(cpu_ns);
  frames_.fill(*arm.mutable_frames());
  Amounts sampled, total;
  for (const TurnAmounts& turn : by_turn_) {
    sampled += turn.sampled;
    total += turn.total;
  }
  const auto add = [&arm](const std::vector<uint32_t>& frames, const StackAmounts& amounts,
                          double first, double second) {
    hotlap::v1::ViewStack& stack = *arm.add_stacks();
    stack.mutable_frames()->Add(frames.begin(), frames.end());
    stack.set_stage(amounts.stage);
    stack.set_first(first * amounts.sum.first);
    stack.set_second(second * amounts.sum.second);
    stack.set_first_squares(first * first * amounts.squares.first);
    stack.set_second_squares(second * second * amounts.squares.second);
  };
  for (const auto& [frames, amounts] : stacks_) {
    add(frames, amounts, ratio(total.first, sampled.first), ratio(total.second, sampled.second));
  }
  if (earlier_.sum.first > 0) add({}, earlier_, 1, 1);
  std::stable_sort(
      arm.mutable_stacks()->begin(), arm.mutable_stacks()->end(),
      [](const auto& left, const auto& right) { return left.first() > right.first(); });
}

}  // namespace hotlap::profile
