// One lane's side of an open loop: which planned starts are due and wait for a connection, which
// were given up, and how well the generator itself kept the plan. The starts that wait are not
// stored: they are the next so many of the plan, which is made again. 40 KB of tallies, no
// allocation after the start.
#ifndef HOTLAP_HARNESS_LOAD_PACER_H_
#define HOTLAP_HARNESS_LOAD_PACER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "harness/load/arrivals.h"
#include "harness/load/histogram.h"

namespace hotlap::load {

struct OpenLoop {
  Arrivals arrivals;
  // How many due starts may wait for a free connection, over all threads; beyond it the one that
  // waited longest is never sent. Zero: what is due while every connection is busy is never sent.
  std::int64_t most_waiting = 0;
};

// A request sent more than this after its planned start was sent late.
inline constexpr std::int64_t kLateNs = 1'000'000;

// How a plan was kept. Adds up over lanes.
struct Pacing {
  static constexpr std::size_t kGapBins = 4096;

  // By which the generator itself missed: from the planned start, or from when a connection became
  // free if that was later, to the send. While it was away for more than kLateNs, with something to
  // send and a connection for it, it missed every start that was planned meanwhile, though most of
  // them then wait for a connection, too: at least from the plan to its return.
  Histogram lateness;
  // The largest difference of a gap between two sends of a lane from the planned gap.
  std::int64_t worst_gap_ns = 0;
  // Of kPoisson: the gaps between sends, by the share of gaps that are at most so long.
  std::array<std::int64_t, kGapBins> gaps{};

  void add(const Pacing& other);
  // Kolmogorov and Smirnov's largest distance of the sends' gaps from exponential ones, at the
  // bins' edges. Absent when no gap was seen.
  std::optional<double> gap_distance() const;
  std::int64_t gap_count() const;
};

class Pacer {
 public:
  // Starts are planned from `start_ns` to before `stop_ns`; `budget` is what all lanes may still
  // start, or null.
  Pacer(const OpenLoop& loop, const Share& share, std::int64_t start_ns, std::int64_t stop_ns,
        std::atomic<std::int64_t>* budget);

  // Takes over what is due by `now`; returns how many starts that was.
  std::int64_t admit(std::int64_t now);
  // When the next start is due; INT64_MAX when there is none any more.
  std::int64_t next_ns() const { return next_due_ns_; }
  std::int64_t waiting() const { return waiting_; }
  // The budget is spent, and nothing waits.
  bool finished() const { return budget_spent_ && waiting_ == 0; }

  // The planned time of the start that waited longest, of those that do.
  std::int64_t first_ns() const { return start_ns_ + oldest_.at_ns(); }
  std::int64_t first_number() const { return oldest_.number(); }
  // It is sent, on a connection that was free since `free_ns`.
  void sent(std::int64_t now, std::int64_t free_ns);
  // It is given up.
  void give_up();
  // Gives up what is too much to wait; returns how many.
  std::int64_t give_up_beyond_bound();
  // Ends the plan; returns how many were due and are now never sent.
  std::int64_t end();

  bool overfull() const { return waiting_ > most_waiting_; }
  const Pacing& pacing() const { return pacing_; }

 private:
  void find_next();
  std::int64_t lateness_ns(std::int64_t planned_ns, std::int64_t now, std::int64_t free_ns);

  Schedule oldest_;  // at the first start that is neither sent nor given up
  Schedule due_;     // at the first start that is not due yet
  std::int64_t start_ns_;
  std::int64_t stop_ns_;
  std::atomic<std::int64_t>* budget_;
  std::int64_t most_waiting_;
  std::int64_t waiting_ = 0;
  bool budget_spent_ = false;
  std::int64_t next_due_ns_ = INT64_MAX;
  double mean_gap_ns_ = 0;  // of kPoisson, else 0
  std::int64_t last_sent_ns_ = 0;
  std::int64_t last_planned_ns_ = 0;
  std::int64_t away_from_ns_ = 0;
  std::int64_t away_until_ns_ = 0;
  Pacing pacing_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_PACER_H_
