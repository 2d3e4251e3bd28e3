// What stands behind a Generator: arms, the threads, and each thread's lanes. The two ways to load
// are in slices.cc and plain.cc.
#ifndef HOTLAP_HARNESS_LOAD_CREW_H_
#define HOTLAP_HARNESS_LOAD_CREW_H_

#include <sys/eventfd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/load/arm.h"
#include "harness/load/generator.h"
#include "harness/load/lane.h"
#include "harness/load/socket.h"
#include "harness/load/team.h"

namespace hotlap::load {

// Durations are held below this, so that no sum of times can overflow.
inline constexpr std::int64_t kLongestNs = std::int64_t{30} * 24 * 3600 * 1'000'000'000;

class Generator::Crew {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{128} * 1024;

  explicit Crew(Clock time) : clock(time) {}

  struct Worker {
    std::vector<char> buffer = std::vector<char>(kBufferBytes);
    std::vector<std::unique_ptr<Lane>> lanes;  // by arm; null until the arm is opened
    LaneTotals totals;
    std::int64_t cpu_ns = 0;
    std::int64_t wall_ns = 0;
  };

  // What the threads of one run() share. Written by thread 0 between barriers.
  struct Slices {
    const std::vector<SliceSpec>& schedule;
    const EdgeCallback& edge;
    RunResult result;
    std::int64_t start_ns = 0;
    bool go = true;
  };

  Lane* lane(int thread, std::size_t arm) {
    auto& lanes = workers[static_cast<std::size_t>(thread)].lanes;
    return arm < lanes.size() ? lanes[arm].get() : nullptr;
  }
  void run_slices(int thread, Slices& slices);
  SliceResult sum_up(const SliceSpec& slice, std::int64_t start_ns) const;
  bool edge(const Slices& slices, std::size_t index, const SliceResult* result) const;
  void drive(int thread, std::size_t arm, const Stint& stint);
  // What is known up to now, from all threads; what it timed is added to the report's times.
  // Whether each lane has published what it did until then.
  bool has_published(std::size_t arm, std::int64_t at_ns);
  void tell(std::size_t arm, std::int64_t elapsed_ns, LoadReport& report,
            const std::function<void(const LoadProgress&)>& progress);
  void fill(std::size_t arm, std::int64_t start_ns, LoadReport& report);

  const Clock clock;
  bool to_end() const { return ending.load() != Ending::kNone; }
  void end(Ending how);

  Fd end_event{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::atomic<Ending> ending{Ending::kNone};
  std::vector<std::unique_ptr<Arm>> arms;
  std::vector<Worker> workers;
  std::unique_ptr<Team> team;  // last: its threads end before what they use
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_CREW_H_
