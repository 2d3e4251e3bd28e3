// See counting.h.
#include "harness/agent/counting.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/agent/arm_environment.h"
#include "harness/agent/setup.h"
#include "harness/capture/allocation_count.h"
#include "harness/capture/perf_event.h"
#include "harness/capture/self_test.h"
#include "harness/capture/syscall_names.h"
#include "harness/capture/tracefs.h"

namespace hotlap::agent {
namespace {

// With a counter each; what is called less often is counted together.
constexpr size_t kMostCalls = 24;

// Few enough for the counters of any processor.
constexpr const char* kUsualEvents[] = {"instructions", "cycles", "branch-misses", "cache-misses"};

// An arm once more, so that what is to be counted is tried on it.
absl::StatusOr<std::unique_ptr<ArmProcess>> launch_again(const Prepared& prepared, size_t index,
                                                         const ArmCounting& counting) {
  return ArmProcess::launch(prepared.seat->spawner(),
                            prepared.effective.arms(static_cast<int>(index)),
                            prepared.seat->launch_options(index, static_cast<uint32_t>(index)),
                            CpuSource::kNone, counting);
}

// Adds what one arm calls under a moment of the workload to `calls`. It is launched once more for
// it, under a tracer: hundreds of counters would take seconds to open and close.
absl::Status probe_calls(const Prepared& prepared, size_t index,
                         std::map<std::string, int64_t>& calls) {
  const auto& arm = prepared.effective.arms(static_cast<int>(index));
  ArmCounting counting;
  counting.trace = absl::StrCat(prepared.seat->directory(), "/probe-", arm.name());
  if (prepared.counting.by_strace) counting.tracer = audit::TracerKind::kStrace;
  auto process = launch_again(prepared, index, counting);
  if (!process.ok()) return process.status();
  const int64_t begin_ns = (*process)->trace_time_ns();
  absl::Status answered = try_workload(**process, arm.name(), prepared);
  const int64_t end_ns = (*process)->trace_time_ns();
  if (!answered.ok()) return answered;
  (*process)->process().stop();
  const auto traced = (*process)->traced_calls({{begin_ns, end_ns}});
  if (!traced.ok()) return traced.status();
  for (const auto& [name, count] : *traced) calls[name] += count;
  return absl::OkStatus();
}

// The last counter of a tracepoint to be closed makes every CPU wait: a counter on this process,
// open as long as the run, spares each round that.
absl::Status keep_tracepoints(Prepared& prepared) {
  if (prepared.counting.calls.empty()) return absl::OkStatus();
  std::vector<std::string> events;
  for (const std::string& name : prepared.counting.calls) {
    events.push_back(capture::syscall_event(name));
  }
  auto counters = capture::PerfCounters::open(getpid(), events, capture::CounterStart::kNow);
  if (!counters.ok()) return counters.status();
  for (const auto& [event, reason] : counters->unavailable()) {
    return absl::UnavailableError(reason);
  }
  prepared.counting.kept_tracepoints = *std::move(counters);
  return absl::OkStatus();
}

// Which calls are worth a counter of their own. Every arm counts the same ones, so that what they
// cost cancels.
absl::Status choose_calls(Prepared& prepared) {
  if (!prepared.counting.by_strace) {
    absl::Status exact = capture::check_named_syscall_counting();
    if (!exact.ok()) return exact;
  }
  std::map<std::string, int64_t> calls;
  for (size_t arm = 0; arm < prepared.echoes.size(); ++arm) {
    absl::Status probed = probe_calls(prepared, arm, calls);
    if (!probed.ok()) return probed;
  }
  for (const auto& [name, count] : calls) {
    if (prepared.counting.by_strace || capture::tracepoint_id(capture::syscall_event(name)).ok()) {
      prepared.counting.calls.push_back(name);
    }
  }
  std::stable_sort(prepared.counting.calls.begin(), prepared.counting.calls.end(),
                   [&](const auto& x, const auto& y) { return calls[x] > calls[y]; });
  if (prepared.counting.calls.size() > kMostCalls) prepared.counting.calls.resize(kMostCalls);
  return prepared.counting.by_strace ? absl::OkStatus() : keep_tracepoints(prepared);
}

// The rung below tracepoints.
absl::Status choose_strace(Prepared& prepared, const absl::Status& no_tracepoints) {
  const std::string why(no_tracepoints.message());
  prepared.counting.by_strace = true;
  const absl::Status chosen = choose_calls(prepared);
  if (!chosen.ok()) {
    prepared.counting.by_strace = false;
    return absl::UnavailableError(
        absl::StrCat(why, "; and by strace: ", std::string(chosen.message())));
  }
  prepared.counting.syscalls = true;
  prepared.notes.push_back(
      absl::StrCat("system calls are counted by strace, under which those that hang on timing "
                   "vary, for want of tracepoints: ",
                   why));
  return absl::OkStatus();
}

absl::Status choose_syscalls(Prepared& prepared) {
  if (!capture::find_tracefs().ok() && geteuid() == 0 && capture::mount_tracefs().ok()) {
    prepared.notes.push_back("tracefs was mounted at /sys/kernel/tracing to count system calls");
  }
  const absl::Status exact = capture::check_syscall_counting();
  if (!exact.ok()) return choose_strace(prepared, exact);
  prepared.counting.syscalls = true;
  const absl::Status chosen = choose_calls(prepared);
  if (chosen.ok()) return chosen;
  prepared.counting.calls.clear();
  prepared.notes.push_back(absl::StrCat("system calls are counted in all and not by name: ",
                                        std::string(chosen.message())));
  return absl::OkStatus();
}

// Whether one arm, launched once more with the library in it, answers and is counted.
absl::Status probe_allocations(const Prepared& prepared, size_t index) {
  const auto& arm = prepared.effective.arms(static_cast<int>(index));
  ArmCounting counting;
  counting.allocation_directory = prepared.seat->directory();
  auto process = launch_again(prepared, index, counting);
  if (!process.ok()) return process.status();
  absl::Status loaded = check_preloaded((*process)->process().output_tail());
  if (!loaded.ok()) return loaded;
  absl::Status answered = try_workload(**process, arm.name(), prepared);
  if (!answered.ok()) return answered;
  return (*process)->check_allocations();
}

void choose_allocations(Prepared& prepared) {
  const absl::Status exact = capture::check_allocation_counting(prepared.seat->directory());
  std::map<std::string, std::vector<std::string>> arms_by_reason;
  for (size_t arm = 0; arm < prepared.echoes.size(); ++arm) {
    const absl::Status counted = exact.ok() ? probe_allocations(prepared, arm) : exact;
    prepared.counting.allocations.push_back(counted.ok());
    if (counted.ok()) continue;
    const std::string reason(counted.message());
    for (const char* metric : {"allocations_per_request", "allocated_bytes_per_request"}) {
      (*prepared.echoes[arm].mutable_absent())[metric] = reason;
    }
    arms_by_reason[reason].push_back(prepared.echoes[arm].arm());
  }
  for (const auto& [reason, arms] : arms_by_reason) {
    prepared.notes.push_back(
        absl::StrCat("allocations of ", absl::StrJoin(arms, ", "), " are not counted: ", reason));
  }
}

// OK where an arm, launched once more, is counted while it answers: the PMU has room for all events
// at once.
absl::Status probe_events(const Prepared& prepared, size_t index,
                          const std::vector<std::string>& events) {
  const auto& arm = prepared.effective.arms(static_cast<int>(index));
  ArmCounting counting;
  counting.events = events;
  auto process = launch_again(prepared, index, counting);
  if (!process.ok()) return process.status();
  absl::Status answered = try_workload(**process, arm.name(), prepared);
  return answered.ok() ? (*process)->events().status() : answered;
}

// Those of `wanted` that can be opened here.
std::vector<std::string> openable(const std::vector<std::string>& wanted,
                                  std::map<std::string, std::string>& reasons) {
  std::vector<std::string> found;
  for (const std::string& event : wanted) {
    const auto counters =
        capture::PerfCounters::open(getpid(), {event}, capture::CounterStart::kNow);
    if (counters.ok() && counters->available(event)) {
      found.push_back(event);
    } else {
      reasons[event] = counters.ok() ? counters->unavailable().at(event)
                                     : std::string(counters.status().message());
    }
  }
  return found;
}

absl::Status choose_events(Prepared& prepared) {
  auto& asked = *prepared.effective.mutable_counters();
  std::vector<std::string> wanted(asked.begin(), asked.end());
  const bool by_name = !wanted.empty();
  if (!by_name) wanted.assign(std::begin(kUsualEvents), std::end(kUsualEvents));
  for (const std::string& event : wanted) {
    const auto known = capture::resolve_event(event);
    if (known.ok() || !by_name || absl::IsPermissionDenied(known.status())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--counters ", event, ": ", std::string(known.status().message())));
  }
  std::map<std::string, std::string> reasons;
  std::vector<std::string> events = openable(wanted, reasons);
  absl::Status counted;
  for (size_t arm = 0; arm < prepared.echoes.size() && !events.empty() && counted.ok(); ++arm) {
    if (!prepared.effective.arms(static_cast<int>(arm)).target().has_url()) {
      counted = probe_events(prepared, arm, events);
    }
  }
  if (!counted.ok()) {
    for (const std::string& event : events) reasons[event] = std::string(counted.message());
    events.clear();
  }
  asked.Assign(events.begin(), events.end());
  prepared.counting.events = std::move(events);
  if (!by_name) return absl::OkStatus();  // hotlap doctor tells what the machine lacks
  for (const auto& [event, reason] : reasons) {
    prepared.notes.push_back(absl::StrCat(event, " is not counted: ", reason));
  }
  return absl::OkStatus();
}

}  // namespace

std::string Counting::words(size_t arm) const {
  std::vector<std::string> parts;
  if (syscalls && !by_strace) parts.push_back("system calls in all");
  if (!calls.empty() && !by_strace) parts.push_back(absl::StrCat(calls.size(), " of them by name"));
  if (arm < allocations.size() && allocations[arm]) parts.emplace_back("allocations");
  return absl::StrJoin(parts, ", ");
}

std::string Counting::syscall_source() const {
  if (!syscalls) return "";
  return by_strace ? "strace" : "tracepoints";
}

absl::Status choose_counting(Prepared& prepared) {
  if (prepared.effective.skip_counting()) return absl::OkStatus();
  const absl::Status known = choose_events(prepared);
  if (!known.ok()) return known;
  const absl::Status syscalls = choose_syscalls(prepared);
  if (!syscalls.ok()) {
    prepared.notes.push_back(
        absl::StrCat("system calls are not counted: ", std::string(syscalls.message())));
  }
  choose_allocations(prepared);
  const auto& allocations = prepared.counting.allocations;
  const bool any = std::find(allocations.begin(), allocations.end(), true) != allocations.end();
  if (!prepared.counting.syscalls && !any) prepared.effective.set_skip_counting(true);
  return absl::OkStatus();
}

}  // namespace hotlap::agent
