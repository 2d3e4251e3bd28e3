// Schedules, start by start.
#include "harness/load/arrivals.h"

#include <algorithm>
#include <cmath>

namespace hotlap::load {
namespace {

constexpr double kNsPerS = 1e9;
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

// SplitMix64 (Steele, Lea, Flood 2014): the constants are the generator.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

std::string_view name(Arrivals::Kind kind) {
  switch (kind) {
    case Arrivals::Kind::kConstant:
      return "constant";
    case Arrivals::Kind::kPoisson:
      return "poisson";
    case Arrivals::Kind::kBurst:
      return "burst";
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

void Schedule::place() {
  double at_ns = poisson_at_ns_;
  if (arrivals_.kind != Arrivals::Kind::kPoisson) {
    // From its number, not from the start before it: rounding never adds up.
    std::int64_t number = round_ + connection_;
    if (arrivals_.kind == Arrivals::Kind::kBurst) number -= number % arrivals_.burst;
    at_ns = static_cast<double>(number) * gap_ns_;
  }
  // Later than any load lasts, and far from overflow.
  constexpr double kNever = 1e18;
  at_ns_ = std::llround(std::min(at_ns, kNever));
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
