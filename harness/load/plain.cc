// The plain load: one arm, one stretch of time, closed or open loop, progress on the way and a
// report at the end.
#include <algorithm>
#include <atomic>

#include "harness/load/crew.h"

namespace hotlap::load {
namespace {

constexpr std::int64_t kRampNs = 1'000'000'000;
constexpr std::int64_t kShortestSteadyNs = 10'000'000;
constexpr std::int64_t kMostPublishDelayNs = 50'000'000;
// Beyond that delay, for a thread that was kept from its CPU: a second in all.
constexpr std::int64_t kPublishWaitNs = 5'000'000;
constexpr int kPublishWaits = 200;

Stint stint_of(const LoadPlan& plan, std::int64_t start_ns) {
  const std::int64_t duration_ns = std::clamp<std::int64_t>(plan.duration_ns, 0, kLongestNs);
  Stint stint;
  stint.start_ns = start_ns;
  stint.stop_ns = start_ns + (duration_ns > 0 ? duration_ns : kLongestNs);
  stint.drain_ns = std::clamp<std::int64_t>(plan.drain_ns, 0, kLongestNs);
  stint.revive = true;
  stint.publish_every_ns = std::clamp<std::int64_t>(plan.progress_every_ns, 1'000'000, kLongestNs);
  if (plan.open) {
    stint.open = &*plan.open;
  } else {
    stint.steady_from_ns =
        start_ns + (duration_ns > 0 ? std::min(kRampNs, duration_ns / 10) : kRampNs / 10);
  }
  return stint;
}

}  // namespace

bool Generator::Crew::has_published(std::size_t arm, std::int64_t at_ns) {
  return std::all_of(workers.begin(), workers.end(),
                     [&](Worker& worker) { return worker.lanes[arm]->published().at_ns >= at_ns; });
}

void Generator::Crew::tell(std::size_t arm, std::int64_t elapsed_ns, LoadReport& report,
                           const std::function<void(const LoadProgress&)>& progress) {
  Times since_last;
  Times spare;
  LoadProgress told{elapsed_ns, {}, 0, since_last};
  for (Worker& worker : workers) {
    Lane& lane = *worker.lanes[arm];
    const Lane::Published published = lane.published();
    told.counts += published.counts;
    told.bytes_received += published.bytes_received;
    lane.hand_over(since_last, spare);
  }
  report.times.merge(since_last);
  if (progress) progress(told);
}

void Generator::Crew::fill(std::size_t arm, std::int64_t start_ns, LoadReport& report) {
  std::int64_t steady_in_flight_ns = 0;
  std::int64_t steady_capacity_ns = 0;
  std::int64_t steady_lanes = 0;
  for (Worker& worker : workers) {
    const LaneTotals& totals = worker.totals;
    report.counts += totals.counts;
    report.bytes_received += totals.bytes_received;
    report.generator_cpu_ns += worker.cpu_ns;
    if (worker.wall_ns > 0) {
      const double share = static_cast<double>(worker.cpu_ns) / static_cast<double>(worker.wall_ns);
      report.busiest_thread_share = std::max(report.busiest_thread_share, share);
    }
    report.reopened += totals.reopened;
    report.tls_handshakes += totals.tls_handshakes;
    report.tls_resumed += totals.tls_resumed;
    if (!totals.tls_protocol.empty()) {
      report.tls_protocol = totals.tls_protocol;
      report.tls_cipher = totals.tls_cipher;
    }
    report.wall_ns = std::max(report.wall_ns, totals.last_reply_ns - start_ns);
    report.sending_ns = std::max(report.sending_ns, totals.stopped_ns - start_ns);
    steady_in_flight_ns += totals.steady_in_flight_ns;
    steady_capacity_ns += totals.steady_capacity_ns;
    steady_lanes += totals.steady_capacity_ns > 0 ? 1 : 0;
    const Lane& lane = *worker.lanes[arm];
    if (lane.pacing() == nullptr) continue;
    if (!report.pacing) report.pacing.emplace();
    report.pacing->add(*lane.pacing());
  }
  if (steady_capacity_ns >= kShortestSteadyNs * std::max<std::int64_t>(steady_lanes, 1)) {
    report.little_ratio =
        static_cast<double>(steady_in_flight_ns) / static_cast<double>(steady_capacity_ns);
  }
  // A rate is of all the time in which requests could come, though the last of them came early.
  report.wall_ns = std::max(report.wall_ns, report.sending_ns);
  report.cancelled = to_end();
}

LoadReport Generator::load(std::size_t arm, const LoadPlan& plan,
                           const std::function<void(const LoadProgress&)>& progress) {
  LoadReport report;
  if (crew_->lane(0, arm) == nullptr) return report;
  std::atomic<std::int64_t> budget{plan.requests};
  const std::int64_t start_ns = crew_->clock.now_ns();
  Stint stint = stint_of(plan, start_ns);
  stint.budget = plan.requests > 0 ? &budget : nullptr;
  const std::int64_t every_ns = stint.publish_every_ns;
  const Team::Job job = [&](int thread) {
    crew_->drive(thread, arm, stint);
    Lane& lane = *crew_->lane(thread, arm);
    lane.probe(1);
    crew_->workers[static_cast<std::size_t>(thread)].totals = lane.take_totals();
  };
  crew_->team->begin(job);
  // A little after each thread has published, so that all are asked for the same stretch.
  const std::int64_t delay_ns = std::min(every_ns / 10, kMostPublishDelayNs);
  const std::int64_t began_ns = monotonic_ns();
  std::int64_t elapsed_ns = every_ns;
  while (!crew_->team->finished(began_ns + elapsed_ns + delay_ns - monotonic_ns())) {
    bool ended = false;
    for (int i = 0; i < kPublishWaits && !crew_->has_published(arm, start_ns + elapsed_ns); ++i) {
      ended = crew_->team->finished(kPublishWaitNs);
      if (ended) break;
    }
    if (ended) break;
    crew_->tell(arm, elapsed_ns, report, progress);
    elapsed_ns += every_ns;
  }
  crew_->fill(arm, start_ns, report);
  Times last;
  for (Crew::Worker& worker : crew_->workers) worker.lanes[arm]->take_times(last);
  report.times.merge(last);
  if (progress) progress({report.wall_ns, report.counts, report.bytes_received, last});
  return report;
}

}  // namespace hotlap::load
