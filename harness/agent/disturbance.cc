// Ticks against our own clocks; see disturbance.h.
#include "harness/agent/disturbance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/plan/void_rule.h"

namespace hotlap::agent {
namespace {

std::optional<capture::CpuTimes> read_times(const std::vector<int>& cpus) {
  auto times = capture::read_cpu_times(cpus);
  return times.ok() ? std::optional<capture::CpuTimes>(*times) : std::nullopt;
}

}  // namespace

MachineTimes read_machine(const targets::Placement& placement) {
  return {read_times(placement.server_cpus), read_times(placement.load_cpus)};
}

int64_t beyond_sampling_ns(int64_t excess_ns, int64_t duration_ns, size_t cpus) {
  const auto tick_ns = static_cast<double>(capture::tick_ns());
  const double ticks = static_cast<double>(duration_ns) * static_cast<double>(cpus) / tick_ns;
  return std::max<int64_t>(0, excess_ns - std::llround(1.5 * std::sqrt(ticks) * tick_ns));
}

void judge_environment(const targets::Placement& placement, const MachineTimes& before,
                       const MachineTimes& after, const OwnTimes& own, hotlap::v1::Round& round) {
  plan::Disturbance disturbance;
  disturbance.round_ns = round.duration_ns();
  if (before.servers && after.servers) {
    disturbance.steal_ns = after.servers->steal_ns - before.servers->steal_ns;
    round.set_steal_ns(*disturbance.steal_ns);
  }
  // On shared CPUs one cannot tell whose the busy time was.
  if (!placement.shared && before.load && after.load) {
    const int64_t busy_ns = after.load->busy_ns - before.load->busy_ns;
    round.set_generator_late_ns(std::max<int64_t>(0, busy_ns - own.generator_ns));
    disturbance.generator_late_ns = beyond_sampling_ns(
        round.generator_late_ns(), round.duration_ns(), placement.load_cpus.size());
  }
  if (!placement.shared && before.servers && after.servers && own.arms_ns) {
    const int64_t busy_ns = after.servers->busy_ns - before.servers->busy_ns;
    round.set_other_load_ns(std::max<int64_t>(0, busy_ns - *own.arms_ns));
    disturbance.other_load_ns = beyond_sampling_ns(round.other_load_ns(), round.duration_ns(),
                                                   placement.server_cpus.size());
  }
  if (const auto cause = plan::void_cause(disturbance)) round.set_void_cause(*cause);
}

}  // namespace hotlap::agent
