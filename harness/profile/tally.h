// Samples of one arm added up: distinct stacks, and for each turn of load how many samples each
// stage and function had, so that costs can be given with the error that turns show.
#ifndef HOTLAP_HARNESS_PROFILE_TALLY_H_
#define HOTLAP_HARNESS_PROFILE_TALLY_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/profile/attribution.h"
#include "harness/profile/frame_table.h"
#include "harness/profile/perf_script.h"
#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// What one row of a table of functions is about. Where one function works for several stages
// (a copy, the kernel's sending) it has a row for each.
struct FunctionKey {
  std::string stage;  // to which the samples are charged
  std::string function;
  std::string object;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 takes the zero within it for a pointer.
  friend auto operator<=>(const FunctionKey&, const FunctionKey&) = default;
};

// A stretch of load on one arm, from edge to edge.
struct Turn {
  int64_t begin_ns = 0;  // on the samples' clock
  int64_t end_ns = 0;
  int64_t requests = 0;
  int64_t cpu_ns = 0;
};

// Of turns in order of time that do not overlap: the one that holds a time, if one does.
std::optional<size_t> turn_at(const std::vector<Turn>& turns, int64_t time_ns);

struct TurnSamples {
  int64_t samples = 0;
  std::map<std::string, int64_t> stages;
  std::map<FunctionKey, int64_t> functions;
  std::map<FunctionKey, int64_t> system_calls;  // `function` is the call
};

class Tally {
 public:
  // Turns in order of time; they do not overlap.
  explicit Tally(std::vector<Turn> turns) : turns_(std::move(turns)), by_turn_(turns_.size()) {}

  // A sample outside of all turns is left out.
  void add(const ScriptSample& sample, Attribution& attribution);

  const std::vector<Turn>& turns() const { return turns_; }
  const std::vector<TurnSamples>& by_turn() const { return by_turn_; }
  int64_t samples() const { return samples_; }
  int64_t requests() const;
  int64_t cpu_ns() const;

  // Samples of a function itself, by the path and offset where they were.
  using Places = std::map<std::pair<std::string, uint64_t>, int64_t>;
  const std::map<FunctionKey, Places>& places() const { return places_; }

  // Fills in requests, CPU time, samples, frames, stacks, turns, processes and threads, and notes
  // of what had no name.
  void fill(hotlap::v1::ArmProfile& profile) const;

 private:
  struct StackCount {
    int64_t samples = 0;
    std::string stage;
  };

  void note_missing_names(hotlap::v1::ArmProfile& profile) const;

  std::vector<Turn> turns_;
  std::vector<TurnSamples> by_turn_;
  int64_t samples_ = 0;
  FrameTable frames_;
  std::map<std::vector<uint32_t>, StackCount> stacks_;  // root first
  std::map<FunctionKey, Places> places_;
  std::map<std::string, int64_t> nameless_;  // samples that were in an object without symbols
  std::set<pid_t> processes_;
  std::set<pid_t> threads_;
};

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_TALLY_H_
