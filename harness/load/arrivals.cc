// Schedules, start by start.
#include "harness/load/arrivals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/load/splitmix.h"

namespace hotlap::load {
namespace {

constexpr double kNsPerS = 1e9;

}  // namespace

std::string_view name(Arrivals::Kind kind) {
  switch (kind) {
    case Arrivals::Kind::kConstant:
      return "constant";
    case Arrivals::Kind::kPoisson:
      return "poisson";
    case Arrivals::Kind::kBurst:
      return "burst";
    case Arrivals::Kind::kRecorded:
      return "recorded";
  }
  return "unknown";
}

Schedule::Schedule(const Arrivals& arrivals, const Share& share)
    : arrivals_(arrivals),
      share_(share),
      gap_ns_(kNsPerS / arrivals.rate_per_s),
      connection_(share.first),
      random_(mixed(arrivals.seed + kGolden * static_cast<std::uint64_t>(share.first + 1))) {
  if (arrivals_.kind == Arrivals::Kind::kPoisson) {
    gap_ns_ *= static_cast<double>(share.connections) / static_cast<double>(share.own());
    poisson_at_ns_ = exponential_gap_ns();
  }
  place();
}

void Schedule::advance() {
  ++starts_;
  if (arrivals_.kind == Arrivals::Kind::kPoisson) {
    poisson_at_ns_ += exponential_gap_ns();
  } else {
    connection_ += share_.stride;
    if (connection_ >= share_.connections) {
      connection_ = share_.first;
      round_ += share_.connections;
    }
  }
  place();
}

std::int64_t Schedule::number() const {
  if (arrivals_.kind == Arrivals::Kind::kPoisson) return share_.first + starts_ * share_.stride;
  return round_ + connection_;
}

void Schedule::place() {
  double at_ns = poisson_at_ns_;
  if (arrivals_.kind != Arrivals::Kind::kPoisson) {
    // From its number, not from the start before it: rounding never adds up.
    std::int64_t number = round_ + connection_;
    if (arrivals_.kind == Arrivals::Kind::kBurst) number -= number % arrivals_.burst;
    at_ns = arrivals_.kind == Arrivals::Kind::kRecorded ? recorded_at_ns(number)
                                                        : static_cast<double>(number) * gap_ns_;
  }
  // Later than any load lasts, and far from overflow.
  constexpr double kNever = 1e18;
  at_ns_ = std::llround(std::min(at_ns, kNever));
}

double Schedule::recorded_at_ns(std::int64_t number) {
  const Timeline& timeline = *arrivals_.timeline;
  if (number >= timeline.starts) return std::numeric_limits<double>::infinity();
  const auto& seconds = timeline.seconds;
  while (second_ + 1 < seconds.size() && seconds[second_ + 1].first_start <= number) ++second_;
  const Timeline::Second& now = seconds[second_];
  const std::int64_t next =
      second_ + 1 < seconds.size() ? seconds[second_ + 1].first_start : timeline.starts;
  const double part =
      static_cast<double>(number - now.first_start) / static_cast<double>(next - now.first_start);
  return (static_cast<double>(now.second) + part) * kNsPerS / arrivals_.speed;
}

double Schedule::exponential_gap_ns() {
  random_ += kGolden;
  const double uniform = static_cast<double>(mixed(random_) >> 11) * 0x1p-53;  // in [0, 1)
  return -std::log1p(-uniform) * gap_ns_;
}

double exponential_share(double gap_ns, double mean_gap_ns) {
  return -std::expm1(-gap_ns / mean_gap_ns);
}

}  // namespace hotlap::load
