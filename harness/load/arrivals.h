// When the requests of an open loop are to start: a plan that no server can slow down. It is made
// afresh from its numbers each time, one start after the other, so that an hour at any rate costs
// no memory; two schedules of the same numbers are the same. A start costs a division or a log.
#ifndef HOTLAP_HARNESS_LOAD_ARRIVALS_H_
#define HOTLAP_HARNESS_LOAD_ARRIVALS_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace hotlap::load {

// When requests were started once, as a log tells it: to the second. Those of one second are spread
// over it evenly.
struct Timeline {
  struct Second {
    std::int64_t second;       // since the first
    std::int64_t first_start;  // number of the first start in it
  };
  std::vector<Second> seconds;  // those with starts, in order
  std::int64_t starts = 0;

  std::int64_t length_s() const { return seconds.empty() ? 0 : seconds.back().second + 1; }
};

struct Arrivals {
  enum class Kind : std::uint8_t {
    kConstant,  // start k at k / rate
    kPoisson,  // gaps are exponential and independent, as of many users who know nothing of another
    kBurst,    // `burst` at once, every burst / rate
    kRecorded,  // as `timeline` says, `speed` times as fast; then none any more
  };

  Kind kind = Kind::kConstant;
  double rate_per_s = 0;  // over all threads; above zero
  std::int64_t burst = 1;
  std::uint64_t seed = 0;                      // of kPoisson
  std::shared_ptr<const Timeline> timeline{};  // of kRecorded, as `speed`
  double speed = 1;
};

// "constant", "poisson", "burst", "recorded".
std::string_view name(Arrivals::Kind kind);

// Which part of the arm's connections one lane has: numbers first, first + stride, ….
struct Share {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t connections = 1;  // of the whole arm

  std::int64_t own() const {
    return first < connections ? (connections - first + stride - 1) / stride : 0;
  }
};

// One lane's part of the plan. The parts of all lanes make exactly the whole: start k belongs to
// the lane of connection k mod connections; but a Poisson process is the sum of Poisson processes,
// each at its share of the rate. `share` must own a connection.
class Schedule {
 public:
  Schedule(const Arrivals& arrivals, const Share& share);

  // The next start, in ns since the load's.
  std::int64_t at_ns() const { return at_ns_; }
  // Its number in the whole plan; of kPoisson, one that no other lane has.
  std::int64_t number() const;
  void advance();

 private:
  void place();
  double exponential_gap_ns();
  double recorded_at_ns(std::int64_t number);

  Arrivals arrivals_;
  Share share_;
  double gap_ns_;             // mean, of the whole plan; of kPoisson, of this lane's part
  std::int64_t round_ = 0;    // starts before this round over all connections
  std::int64_t connection_;   // whose start it is
  double poisson_at_ns_ = 0;  // a double holds a day in ns to a sixtieth of one
  std::uint64_t random_;      // state of SplitMix64
  std::size_t second_ = 0;    // of the timeline
  std::int64_t starts_ = 0;   // of this lane, before the next
  std::int64_t at_ns_ = 0;
};

// The chance that a gap of kPoisson is at most this long.
double exponential_share(double gap_ns, double mean_gap_ns);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_ARRIVALS_H_
