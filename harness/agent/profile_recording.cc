// See profile_recording.h.
#include "harness/agent/profile_recording.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "harness/capture/tracefs.h"
#include "harness/capture/whole_file.h"

namespace hotlap::agent {
namespace {

// Below it every event gives its stack; it is no burden.
constexpr double kEveryEventPerS = 500;
// Above how many sleeps and allocations a request has: an equal number would take one of them
// always.
constexpr uint32_t kSmallestOfSwitches = 13;
constexpr uint32_t kSmallestOfAllocations = 101;
constexpr uint32_t kLargestInterval = 100'003;

bool is_prime(uint32_t number) {
  for (uint32_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

std::vector<pid_t> threads_of(const std::vector<pid_t>& processes) {
  std::vector<pid_t> all;
  for (const pid_t process : processes) {
    const auto threads = capture::threads_of(process);
    all.insert(all.end(), threads.begin(), threads.end());
  }
  return all;
}

// Without wake-ups, what a thread waits for a CPU after a sleep counts as asleep.
void begin_wake_ups(targets::Spawner& spawner, profile::RecordOptions options,
                    Recording& recording) {
  recording.no_wake_ups = capture::tracepoint_id("sched:sched_wakeup").status();
  if (!recording.no_wake_ups.ok()) return;
  options.events = profile::wake_ups(threads_of(options.processes));
  options.processes.clear();
  options.call_graph.reset();
  options.file += "-wake-ups";
  auto wake_ups = profile::PerfRecord::attach(spawner, options);
  recording.no_wake_ups = wake_ups.status();
  if (wake_ups.ok()) recording.wake_ups = *std::move(wake_ups);
}

}  // namespace

absl::Status Recording::status() const {
  absl::Status status = perf->status();
  if (status.ok() && wake_ups != nullptr) status = wake_ups->status();
  return status;
}

void Recording::stop() {
  perf->stop();
  if (wake_ups != nullptr) wake_ups->stop();
}

uint32_t stack_interval(double events_per_s, double stacks_per_s, uint32_t smallest) {
  if (events_per_s <= std::max(stacks_per_s, kEveryEventPerS)) return 1;
  const double wanted = std::ceil(events_per_s / stacks_per_s);
  auto interval = static_cast<uint32_t>(std::min<double>(wanted, kLargestInterval));
  interval = std::max(interval, smallest);
  while (!is_prime(interval)) ++interval;
  return interval;
}

absl::StatusOr<Recording> begin_recording(targets::Spawner& spawner, const RecordingPlan& plan,
                                          ProfileView view, const std::vector<pid_t>& processes,
                                          double events_per_s, const std::string& file) {
  Recording recording;
  recording.view = view;
  recording.call_graph = plan.call_graph.value_or(profile::have_unwind_tables(processes)
                                                      ? profile::CallGraph::kUnwindTables
                                                      : profile::CallGraph::kFramePointers);
  profile::RecordOptions options;
  options.processes = processes;
  options.cpus = plan.cpus;
  options.call_graph = recording.call_graph;
  options.file = file;
  if (view == ProfileView::kCpu) {
    options.events = profile::sampled(plan.event, plan.frequency_hz);
  } else if (view == ProfileView::kOffCpu) {
    recording.every = stack_interval(events_per_s, plan.frequency_hz, kSmallestOfSwitches);
    options.events = profile::switches(recording.every);
    begin_wake_ups(spawner, options, recording);
  } else {
    const auto libc = profile::common_libc(processes);
    if (!libc.ok()) return libc.status();
    const std::string name = file.substr(file.rfind('/') + 1);
    auto probes = profile::HeapProbes::set(*libc, absl::StrReplaceAll(name, {{"-", "_"}}));
    if (!probes.ok()) return probes.status();
    recording.probes = *std::move(probes);
    const bool counts = view == ProfileView::kHeapCount;
    recording.every =
        counts ? 1 : stack_interval(events_per_s, plan.frequency_hz, kSmallestOfAllocations);
    if (counts) options.call_graph.reset();
    options.events = recording.probes->events(recording.every);
  }
  auto perf = profile::PerfRecord::attach(spawner, options);
  if (!perf.ok()) return perf.status();
  recording.perf = *std::move(perf);
  return recording;
}

}  // namespace hotlap::agent
