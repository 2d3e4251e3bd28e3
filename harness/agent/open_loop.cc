// See open_loop.h.
#include "harness/agent/open_loop.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::OpenLoop;

constexpr double kNsPerS = 1e9;
constexpr double kMaxRatePerS = 1e8;
constexpr double kMaxSpeed = 1e6;
constexpr uint32_t kMaxBurst = 1'000'000;
constexpr double kDefaultWaitS = 10;

// The log's mean rate at that speed.
absl::Status fill_recorded(const load::ReplayLog* log, OpenLoop& open) {
  if (log == nullptr) {
    return absl::InvalidArgumentError("recorded arrivals are those of a log: replay one");
  }
  if (!open.has_speed()) open.set_speed(1);
  if (!(open.speed() > 0 && open.speed() <= kMaxSpeed)) {
    return absl::InvalidArgumentError(
        absl::StrCat("replay speed ", open.speed(), " must be above 0 and at most ", kMaxSpeed));
  }
  open.set_rate_per_s(static_cast<double>(log->size()) /
                      static_cast<double>(log->timeline()->length_s()) * open.speed());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpenLoop> effective_open_loop(const OpenLoop& asked, const load::ReplayLog* log) {
  OpenLoop open = asked;
  if (open.arrivals() == OpenLoop::RECORDED) {
    absl::Status status = fill_recorded(log, open);
    if (!status.ok()) return status;
  } else if (open.has_speed()) {
    return absl::InvalidArgumentError("a replay speed belongs to recorded arrivals");
  }
  if (!(open.rate_per_s() > 0 && open.rate_per_s() <= kMaxRatePerS)) {
    return absl::InvalidArgumentError(absl::StrCat("rate ", open.rate_per_s(),
                                                   " must be above 0 and at most ", kMaxRatePerS,
                                                   " requests a second"));
  }
  const bool bursts = open.arrivals() == OpenLoop::BURST;
  if (bursts && (open.burst() < 1 || open.burst() > kMaxBurst)) {
    return absl::InvalidArgumentError(
        absl::StrCat("burst ", open.burst(), " must be 1 to ", kMaxBurst, " requests"));
  }
  if (open.arrivals() == OpenLoop::POISSON && !open.has_seed())
    open.set_seed(std::random_device()());
  if (!open.has_most_waiting()) {
    open.set_most_waiting(static_cast<uint64_t>(std::ceil(open.rate_per_s() * kDefaultWaitS)));
  }
  // More than any load can plan; the generator counts in signed numbers.
  open.set_most_waiting(std::min<uint64_t>(open.most_waiting(), uint64_t{1} << 53));
  return open;
}

load::OpenLoop open_loop_of(const OpenLoop& open, const load::ReplayLog* log) {
  using Kind = load::Arrivals::Kind;
  load::Arrivals arrivals;
  arrivals.kind = open.arrivals() == OpenLoop::POISSON    ? Kind::kPoisson
                  : open.arrivals() == OpenLoop::BURST    ? Kind::kBurst
                  : open.arrivals() == OpenLoop::RECORDED ? Kind::kRecorded
                                                          : Kind::kConstant;
  arrivals.rate_per_s = open.rate_per_s();
  arrivals.burst = std::max<int64_t>(open.burst(), 1);
  arrivals.seed = open.seed();
  if (arrivals.kind == Kind::kRecorded) {
    arrivals.timeline = log->timeline();
    arrivals.speed = open.speed();
  }
  return {arrivals, static_cast<int64_t>(open.most_waiting())};
}

int64_t open_loop_ns(const OpenLoop& open, const load::ReplayLog* log, int64_t asked_ns) {
  if (open.arrivals() != OpenLoop::RECORDED) return asked_ns;
  const double length_s = static_cast<double>(log->timeline()->length_s()) / open.speed();
  const int64_t log_ns = std::llround(std::min(length_s, kMaxLoadS) * kNsPerS);
  return asked_ns > 0 ? std::min(asked_ns, log_ns) : log_ns;
}

hotlap::v1::Pacing pacing_message(const load::Pacing& pacing) {
  hotlap::v1::Pacing message;
  message.set_lateness_p99_ns(pacing.lateness.quantile_ns(0.99).value_or(0));
  message.set_lateness_max_ns(pacing.lateness.max_ns().value_or(0));
  message.set_worst_gap_ns(pacing.worst_gap_ns);
  if (const auto distance = pacing.gap_distance()) message.set_gap_distance(*distance);
  message.set_gaps(pacing.gap_count());
  return message;
}

}  // namespace hotlap::agent
