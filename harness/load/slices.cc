// Load in slices: every thread goes through the schedule, and they meet at each edge.
#include <algorithm>

#include "harness/load/crew.h"

namespace hotlap::load {

bool Generator::Crew::edge(const Slices& slices, std::size_t index,
                           const SliceResult* result) const {
  if (to_end()) return false;
  if (!slices.edge) return true;
  const bool go = slices.edge({index, slices.schedule[index].arm, result});
  return go && !to_end();
}

SliceResult Generator::Crew::sum_up(const SliceSpec& slice, std::int64_t start_ns) const {
  SliceResult result;
  result.arm = slice.arm;
  result.start_ns = start_ns;
  for (const Worker& worker : workers) {
    result.counts += worker.totals.counts;
    result.bytes_received += worker.totals.bytes_received;
    result.response_ns += worker.totals.response_ns;
    result.reopened += static_cast<int>(worker.totals.reopened);
    result.tls_handshakes += worker.totals.tls_handshakes;
    result.tls_resumed += worker.totals.tls_resumed;
    result.generator_cpu_ns += worker.cpu_ns;
    result.late_ns = std::max(result.late_ns, worker.totals.first_send_ns - start_ns);
    result.duration_ns = std::max(result.duration_ns, worker.totals.last_reply_ns - start_ns);
  }
  return result;
}

void Generator::Crew::run_slices(int thread, Slices& slices) {
  Rendezvous& all = team->rendezvous();
  Worker& worker = workers[static_cast<std::size_t>(thread)];
  for (std::size_t i = 0; i < slices.schedule.size(); ++i) {
    const SliceSpec& slice = slices.schedule[i];
    worker.lanes[slice.arm]->prepare();
    all.arrive_and_wait();
    if (thread == 0) {
      slices.go = edge(slices, i, nullptr);
      slices.start_ns = clock.now_ns();
    }
    all.arrive_and_wait();
    if (!slices.go) return;
    Stint stint;
    stint.start_ns = slices.start_ns;
    stint.stop_ns = slices.start_ns + std::clamp<std::int64_t>(slice.duration_ns, 0, kLongestNs);
    drive(thread, slice.arm, stint);
    worker.totals = worker.lanes[slice.arm]->take_totals();
    all.arrive_and_wait();
    if (thread == 0) {
      slices.result.slices.push_back(sum_up(slice, slices.start_ns));
      slices.go = edge(slices, i, &slices.result.slices.back());
    }
    all.arrive_and_wait();
    if (!slices.go) return;
  }
}

RunResult Generator::run(const std::vector<SliceSpec>& schedule, const EdgeCallback& edge) {
  Crew::Slices slices{schedule, edge, {}, 0, true};
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (crew_->lane(0, schedule[i].arm) != nullptr) continue;
    slices.result.error = "slice " + std::to_string(i) + " is of arm " +
                          std::to_string(schedule[i].arm) + ", which was never opened";
    return std::move(slices.result);
  }
  slices.result.slices.reserve(schedule.size());
  crew_->team->run([&](int thread) { crew_->run_slices(thread, slices); });
  slices.result.cancelled = crew_->to_end();
  return std::move(slices.result);
}

}  // namespace hotlap::load
