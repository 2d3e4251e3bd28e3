// See tally.h.
#include "harness/profile/tally.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hotlap::profile {
namespace {

// Below it a missing name is not worth a note.
constexpr double kNotedShare = 0.01;

std::string remedy_for(const std::string& object) {
  if (object == kKernelObject) {
    return "the kernel hides its symbols: `sysctl -w kernel.kptr_restrict=0`, or run as root";
  }
  if (object == kUnknownFunction) {
    return "memory that belongs to no file, such as code made at run time (a JIT writes "
           "/tmp/perf-PID.map when asked to), or stacks that --call-graph could not follow";
  }
  return absl::StrCat(
      "it is stripped: install its package of debug symbols (PACKAGE-dbgsym), or "
      "build it with -g");
}

}  // namespace

std::optional<size_t> turn_at(const std::vector<Turn>& turns, int64_t time_ns) {
  const auto after =
      std::upper_bound(turns.begin(), turns.end(), time_ns,
                       [](int64_t time, const Turn& turn) { return time < turn.begin_ns; });
  if (after == turns.begin() || time_ns >= (after - 1)->end_ns) return std::nullopt;
  return static_cast<size_t>(after - turns.begin()) - 1;
}

void Tally::add(const ScriptSample& sample, Attribution& attribution) {
  const auto turn = turn_at(turns_, sample.time_ns);
  if (!turn) return;
  const std::vector<std::string> stages = attribution.stages_of(sample);
  const std::string charged = charge(sample, stages);
  StackCount& count = stacks_[frames_.stack_of(sample, stages)];
  count.stage = charged;
  ++count.samples;
  ++samples_;
  processes_.insert(sample.process);
  threads_.insert(sample.thread);

  FunctionKey function{charged, kUnknownFunction, kUnknownFunction};
  if (!sample.frames.empty()) {
    const ScriptFrame& here = sample.frames.front();
    function.function = function_name(here);
    function.object = object_name(here);
    if (here.function.empty()) ++nameless_[function.object];
    if (!here.kernel) ++places_[function][{std::string(here.object), here.address}];
  }
  TurnSamples& samples = by_turn_[*turn];
  ++samples.samples;
  ++samples.stages[charged];
  ++samples.functions[function];
  if (const std::string call = system_call_of(sample); !call.empty()) {
    ++samples.system_calls[{charged, call, kKernelObject}];
  }
}

int64_t Tally::requests() const {
  int64_t sum = 0;
  for (const Turn& turn : turns_) sum += turn.requests;
  return sum;
}

int64_t Tally::cpu_ns() const {
  int64_t sum = 0;
  for (const Turn& turn : turns_) sum += turn.cpu_ns;
  return sum;
}

void Tally::note_missing_names(hotlap::v1::ArmProfile& profile) const {
  for (const auto& [object, count] : nameless_) {
    const double share = static_cast<double>(count) / static_cast<double>(samples_);
    if (share < kNotedShare) continue;
    const std::string where = object == kKernelObject      ? "in the kernel"
                              : object == kUnknownFunction ? "outside of any file"
                                                           : absl::StrCat("in ", object);
    profile.add_notes(absl::StrFormat("%.1f %% of the samples have no function name, %s: %s",
                                      100 * share, where, remedy_for(object)));
  }
}

void Tally::fill(hotlap::v1::ArmProfile& profile) const {
  profile.set_requests(static_cast<uint64_t>(requests()));
  profile.set_cpu_ns(cpu_ns());
  profile.set_samples(static_cast<uint64_t>(samples_));
  profile.set_turns(static_cast<uint32_t>(turns_.size()));
  profile.set_processes(static_cast<uint32_t>(processes_.size()));
  profile.set_threads(static_cast<uint32_t>(threads_.size()));
  int64_t load_ns = 0;
  for (const Turn& turn : turns_) load_ns += turn.end_ns - turn.begin_ns;
  profile.set_load_ns(load_ns);
  frames_.fill(*profile.mutable_frames());
  std::vector<std::pair<const std::vector<uint32_t>*, const StackCount*>> stacks;
  for (const auto& [frames, count] : stacks_) stacks.emplace_back(&frames, &count);
  std::stable_sort(stacks.begin(), stacks.end(), [](const auto& left, const auto& right) {
    return left.second->samples > right.second->samples;
  });
  for (const auto& [frames, count] : stacks) {
    auto* stack = profile.add_stacks();
    for (const uint32_t frame : *frames) stack->add_frames(frame);
    stack->set_samples(static_cast<uint64_t>(count->samples));
    stack->set_stage(count->stage);
  }
  note_missing_names(profile);
}

}  // namespace hotlap::profile
