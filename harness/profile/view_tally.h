// Amounts of one arm by stack, beyond CPU time: each event has two (ns asleep and sleeps, bytes and
// allocations), which are added up by turn, by stage and by site. Where the stacks of only some
// events were taken, those stand for all: rows are shares of a total that is counted apart.
#ifndef HOTLAP_HARNESS_PROFILE_VIEW_TALLY_H_
#define HOTLAP_HARNESS_PROFILE_VIEW_TALLY_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/profile/attribution.h"
#include "harness/profile/frame_table.h"
#include "harness/profile/off_cpu.h"
#include "harness/profile/perf_script.h"
#include "harness/profile/tally.h"
#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

struct Amounts {
  double first = 0;
  double second = 0;

  Amounts& operator+=(const Amounts& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

// What one row of a view's table is about; of a stage, but for `stage` empty.
struct SiteKey {
  std::string stage;
  std::string function;
  std::string object;
  std::string system_call;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 takes the zero within it for a pointer.
  friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
};

// To which waits are charged that had begun before the recording, and whose stacks nobody saw.
inline constexpr char kBeganEarlier[] = "began earlier";

struct TurnAmounts {
  Amounts sampled;  // of events with stacks
  Amounts total;    // of all events that these stand for
  Amounts earlier;  // of what began before the recording; not in the others
  std::map<std::string, Amounts> stages;
  std::map<SiteKey, Amounts> sites;
  Amounts idle;             // of sites that wait for work
  double woken_ns = 0;      // runnable
  double preempted_ns = 0;  // likewise
  int64_t preemptions = 0;
};

class ViewTally {
 public:
  // Turns in order of time; they do not overlap.
  explicit ViewTally(std::vector<Turn> turns) : turns_(std::move(turns)), by_turn_(turns_.size()) {}

  // What of a wait lies within turns, cut at their edges. Its sleep is counted where it begins.
  void add(const Wait& wait, Attribution& attribution);

  // An allocation, of which this one stands for `every` so many; outside of all turns it is left
  // out.
  void add(const ScriptSample& sample, double bytes, double every, Attribution& attribution);

  const std::vector<Turn>& turns() const { return turns_; }
  const std::vector<TurnAmounts>& by_turn() const { return by_turn_; }
  int64_t requests() const;
  int64_t stacks_taken() const { return stacks_taken_; }

  // Fills in requests, turns, frames, stacks, processes and threads.
  void fill(hotlap::v1::ViewArm& arm) const;

 private:
  struct StackAmounts {
    std::string stage;
    Amounts sum;
    Amounts squares;
  };

  void add_stack(size_t turn, const ScriptSample& sample, const Amounts& amounts,
                 Attribution& attribution);
  void add_sleep(size_t turn, const Wait& wait, const Amounts& amounts, Attribution& attribution);

  std::vector<Turn> turns_;
  std::vector<TurnAmounts> by_turn_;
  int64_t stacks_taken_ = 0;
  FrameTable frames_;
  std::map<std::vector<uint32_t>, StackAmounts> stacks_;  // root first
  StackAmounts earlier_{kBeganEarlier, {}, {}};
  std::set<pid_t> processes_;
  std::set<pid_t> threads_;
};

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_VIEW_TALLY_H_
