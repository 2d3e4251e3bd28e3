// The plain load: one arm, one stretch of time, progress on the way and a report at the end.
#include <algorithm>
#include <atomic>

#include "harness/load/clock.h"
#include "harness/load/crew.h"

namespace hotlap::load {
namespace {

constexpr std::int64_t kRampNs = 1'000'000'000;
constexpr std::int64_t kShortestSteadyNs = 10'000'000;

}  // namespace

LoadProgress Generator::Crew::progress(std::size_t arm, std::int64_t start_ns) {
  LoadProgress sum;
  sum.elapsed_ns = monotonic_ns() - start_ns;
  for (Worker& worker : workers) {
    const Lane::Published published = worker.lanes[arm]->published();
    sum.counts += published.counts;
    sum.bytes_received += published.bytes_received;
  }
  return sum;
}

LoadReport Generator::Crew::report(std::int64_t start_ns) const {
  LoadReport report;
  std::int64_t steady_in_flight_ns = 0;
  std::int64_t steady_capacity_ns = 0;
  std::int64_t connections = 0;
  for (const Worker& worker : workers) {
    const LaneTotals& totals = worker.totals;
    report.counts += totals.counts;
    report.bytes_received += totals.bytes_received;
    report.generator_cpu_ns += worker.cpu_ns;
    report.reopened += totals.reopened;
    report.wall_ns = std::max(report.wall_ns, totals.last_reply_ns - start_ns);
    report.sending_ns = std::max(report.sending_ns, totals.stopped_ns - start_ns);
    steady_in_flight_ns += totals.steady_in_flight_ns;
    steady_capacity_ns += totals.steady_capacity_ns;
    connections += totals.steady_capacity_ns > 0 ? 1 : 0;
  }
  if (steady_capacity_ns >= kShortestSteadyNs * std::max<std::int64_t>(connections, 1)) {
    report.little_ratio =
        static_cast<double>(steady_in_flight_ns) / static_cast<double>(steady_capacity_ns);
  }
  report.cancelled = cancelled.load();
  return report;
}

LoadReport Generator::load(std::size_t arm, const LoadPlan& plan,
                           const std::function<void(const LoadProgress&)>& progress) {
  if (crew_->lane(0, arm) == nullptr) return {};
  const std::int64_t every_ns =
      std::clamp<std::int64_t>(plan.progress_every_ns, 1'000'000, kLongestNs);
  const std::int64_t duration_ns = std::clamp<std::int64_t>(plan.duration_ns, 0, kLongestNs);
  std::atomic<std::int64_t> budget{plan.requests};
  const std::int64_t start_ns = monotonic_ns();
  Stint stint;
  stint.stop_ns = start_ns + (duration_ns > 0 ? duration_ns : kLongestNs);
  stint.drain_ns = std::clamp<std::int64_t>(plan.drain_ns, 0, kLongestNs);
  stint.budget = plan.requests > 0 ? &budget : nullptr;
  stint.revive = true;
  stint.steady_from_ns =
      start_ns + (duration_ns > 0 ? std::min(kRampNs, duration_ns / 10) : kRampNs / 10);
  stint.publish_every_ns = std::max<std::int64_t>(every_ns / 4, 1'000'000);
  const Team::Job job = [&](int thread) {
    crew_->drive(thread, arm, stint);
    Lane& lane = *crew_->lane(thread, arm);
    lane.probe(1);
    crew_->workers[static_cast<std::size_t>(thread)].totals = lane.take_totals();
  };
  crew_->team->begin(job);
  while (!crew_->team->finished(every_ns)) {
    if (progress) progress(crew_->progress(arm, start_ns));
  }
  return crew_->report(start_ns);
}

}  // namespace hotlap::load
