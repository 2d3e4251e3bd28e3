// See edge_reading.h.
#include "harness/agent/edge_reading.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::ArmRound;

// What no name stands for is "other", so that names and total always agree.
void add_named_calls(const std::vector<int64_t>& calls, int64_t all,
                     const std::vector<std::string>& names, ArmRound& sum) {
  while (sum.syscalls_by_name_size() < static_cast<int>(names.size()) + 1) {
    const auto index = static_cast<size_t>(sum.syscalls_by_name_size());
    sum.add_syscalls_by_name()->set_name(index < names.size() ? names[index] : "other");
  }
  int64_t rest = all;
  for (size_t i = 0; i < names.size(); ++i) {
    auto* count = sum.mutable_syscalls_by_name(static_cast<int>(i));
    count->set_calls(count->calls() + calls[i]);
    rest -= calls[i];
  }
  auto* other = sum.mutable_syscalls_by_name(static_cast<int>(names.size()));
  other->set_calls(other->calls() + rest);
}

void add_named_syscalls(const EdgeReading& begin, const EdgeReading& end,
                        const std::vector<std::string>& names, ArmRound& sum) {
  if (!begin.named_syscalls || !end.named_syscalls || !begin.syscalls || !end.syscalls) return;
  std::vector<int64_t> calls;
  for (size_t i = 0; i < names.size(); ++i) {
    calls.push_back((*end.named_syscalls)[i] - (*begin.named_syscalls)[i]);
  }
  add_named_calls(calls, *end.syscalls - *begin.syscalls, names, sum);
}

void add_allocations(const EdgeReading& begin, const EdgeReading& end, ArmRound& sum) {
  if (!begin.allocations || !end.allocations) return;
  const capture::AllocationTotals& before = *begin.allocations;
  const capture::AllocationTotals& after = *end.allocations;
  sum.set_allocations(sum.allocations() + after.allocations - before.allocations);
  sum.set_allocated_bytes(sum.allocated_bytes() + after.bytes - before.bytes);
  sum.set_frees(sum.frees() + after.frees - before.frees);
}

void add_events(const EdgeReading& begin, const EdgeReading& end,
                const std::vector<std::string>& names, ArmRound& sum) {
  if (begin.events.size() != names.size() || end.events.size() != names.size()) return;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto index = static_cast<int>(i);
    if (sum.events_size() <= index) sum.add_events()->set_event(names[i]);
    auto* event = sum.mutable_events(index);
    event->set_count(event->count() + end.events[i] - begin.events[i]);
  }
}

}  // namespace

EdgeReading read_edge(const ArmProcess& arm, bool counting) {
  EdgeReading reading;
  if (counting) reading.syscalls = arm.settled_syscalls();
  reading.cpu_ns = arm.cpu_ns();
  return reading;
}

EdgeReading read_set_edge(const ArmProcess& arm, bool counting) {
  EdgeReading reading = read_edge(arm, counting);
  reading.cgroup_cpu_ns = arm.cgroup_cpu_ns();
  // That the machine can count them all at once was tried at set-up.
  if (auto events = arm.events(); events.ok()) reading.events = *std::move(events);
  if (!counting) return reading;
  reading.named_syscalls = arm.named_syscalls();
  reading.allocations = arm.allocations();
  return reading;
}

void add_set(const EdgeReading& begin, const EdgeReading& end,
             const std::vector<std::string>& calls, const std::vector<std::string>& events,
             ArmRound& sum) {
  if (begin.cpu_ns && end.cpu_ns) sum.set_cpu_ns(sum.cpu_ns() + *end.cpu_ns - *begin.cpu_ns);
  if (begin.syscalls && end.syscalls) {
    sum.set_syscalls(sum.syscalls() + *end.syscalls - *begin.syscalls);
  }
  if (begin.cgroup_cpu_ns && end.cgroup_cpu_ns) {
    sum.set_cgroup_cpu_ns(sum.cgroup_cpu_ns() + *end.cgroup_cpu_ns - *begin.cgroup_cpu_ns);
  }
  add_named_syscalls(begin, end, calls, sum);
  add_allocations(begin, end, sum);
  add_events(begin, end, events, sum);
}

void add_calls(const std::map<std::string, int64_t>& calls, const std::vector<std::string>& names,
               ArmRound& sum) {
  int64_t all = 0;
  for (const auto& [name, count] : calls) all += count;
  std::vector<int64_t> of_names;
  for (const std::string& name : names) {
    const auto found = calls.find(name);
    of_names.push_back(found == calls.end() ? 0 : found->second);
  }
  sum.set_syscalls(sum.syscalls() + all);
  add_named_calls(of_names, all, names, sum);
}

void add_sample(const capture::ProcessSample& before, const capture::ProcessSample& now,
                ArmRound& sum) {
  sum.set_minor_faults(sum.minor_faults() + now.minor_faults - before.minor_faults);
  sum.set_major_faults(sum.major_faults() + now.major_faults - before.major_faults);
  sum.set_voluntary_switches(sum.voluntary_switches() + now.voluntary_switches -
                             before.voluntary_switches);
  sum.set_involuntary_switches(sum.involuntary_switches() + now.involuntary_switches -
                               before.involuntary_switches);
  sum.set_user_ns_sampled(sum.user_ns_sampled() + now.user_ns_sampled - before.user_ns_sampled);
  sum.set_system_ns_sampled(sum.system_ns_sampled() + now.system_ns_sampled -
                            before.system_ns_sampled);
}

}  // namespace hotlap::agent
