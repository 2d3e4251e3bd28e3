// Windows, courses and counts; see phases.h.
#include "harness/audit/phases.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/audit/call_text.h"
#include "harness/audit/fold.h"

namespace hotlap::audit {
namespace {

using hotlap::v1::ArmAudit;
using hotlap::v1::AuditPhase;

constexpr double kSecondsPerNs = 1e-9;

struct Described {
  int64_t begin_ns = 0;
  uint32_t task = 0;  // numbered
  bool call = true;
  std::string name;
  std::string text;
};

using Window = std::vector<Described>;

// Which process a thread belongs to, and each thread's number, as the trace makes them known.
class Tasks {
 public:
  void learn(const TracedEvent& event) {
    process_.try_emplace(event.task, event.task);
    if (event.name != "clone" && event.name != "clone3" && event.name != "fork" &&
        event.name != "vfork") {
      return;
    }
    const pid_t created = created_task(event.result);
    if (created == 0) return;
    const bool thread = absl::StrContains(event.arguments, "CLONE_THREAD");
    process_[created] = thread ? process_[event.task] : created;
  }
  pid_t process(pid_t task) const {
    const auto found = process_.find(task);
    return found == process_.end() ? task : found->second;
  }
  uint32_t number(pid_t task) {
    return numbers_.try_emplace(task, static_cast<uint32_t>(numbers_.size() + 1)).first->second;
  }
  uint32_t threads() const { return static_cast<uint32_t>(numbers_.size()); }
  uint32_t processes() const {
    std::set<pid_t> processes;
    for (const auto& [task, number] : numbers_) processes.insert(process(task));
    return static_cast<uint32_t>(processes.size());
  }

 private:
  std::map<pid_t, pid_t> process_;
  std::map<pid_t, uint32_t> numbers_;
};

// The events from the target's own beginning on: before it, the launcher waits to be told.
std::vector<Described> describe_all(const Trace& trace, uint16_t port, Tasks& tasks) {
  const auto begins = std::find_if(
      trace.events.begin(), trace.events.end(),
      [](const TracedEvent& event) { return event.name == "execve" && event.result == "0"; });
  std::vector<Described> described;
  CallText text(port);
  for (const TracedEvent& event : trace.events) tasks.learn(event);
  for (auto event = begins; event != trace.events.end(); ++event) {
    if (event->kind == EventKind::kExit) continue;
    described.push_back({.begin_ns = event->begin_ns,
                         .task = tasks.number(event->task),
                         .call = event->kind == EventKind::kCall,
                         .name = event->name,
                         .text = text.describe(*event, tasks.process(event->task))});
  }
  return described;
}

// The events in [begin_ns, end_ns), which are in order.
Window between(const std::vector<Described>& all, int64_t begin_ns, int64_t end_ns) {
  const auto before = [](const Described& event, int64_t ns) { return event.begin_ns < ns; };
  const auto begin = std::lower_bound(all.begin(), all.end(), begin_ns, before);
  const auto end = std::lower_bound(begin, all.end(), end_ns, before);
  return Window(begin, end);
}

using Tally = std::map<std::string, double>;  // by text

Tally tally(const Window& window) {
  Tally counts;
  for (const Described& event : window) counts[event.text] += event.call ? 1 : 0;
  return counts;
}

// One phase under construction.
class PhaseOf {
 public:
  PhaseOf(std::vector<Window> windows, double seconds, const Tally& idle_per_s, bool quiet)
      : windows_(std::move(windows)), seconds_(seconds) {
    for (Window& window : windows_) number_tasks(window);
    group();
    subtract_idle(idle_per_s, quiet);
  }

  AuditPhase message(bool with_courses) const {
    AuditPhase phase;
    phase.set_windows(static_cast<uint32_t>(windows_.size()));
    phase.set_seconds(seconds_);
    if (with_courses) add_courses(phase);
    add_counts(phase);
    return phase;
  }

 private:
  // By their first calls within the window: which of its threads a target wakes for a request makes
  // no other course.
  static void number_tasks(Window& window) {
    std::map<uint32_t, uint32_t> numbers;
    for (Described& event : window) {
      event.task =
          numbers.try_emplace(event.task, static_cast<uint32_t>(numbers.size() + 1)).first->second;
    }
  }

  // Windows by their course, the most frequent first; of two as frequent, the earlier one.
  void group() {
    std::map<std::string, size_t> places;
    for (const Window& window : windows_) {
      std::string key;
      for (const Described& event : window)
        absl::StrAppend(&key, event.task, " ", event.text, "\n");
      const auto [place, fresh] = places.try_emplace(key, courses_.size());
      if (fresh) courses_.push_back({&window, 0});
      ++courses_[place->second].second;
    }
    std::stable_sort(courses_.begin(), courses_.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
  }

  void subtract_idle(const Tally& idle_per_s, bool quiet) {
    for (const Window& window : windows_) {
      for (const auto& [text, count] : tally(window)) counts_[text] += count;
    }
    const Tally usual = quiet && !courses_.empty() ? tally(*courses_.front().first) : Tally();
    for (const auto& [text, per_s] : idle_per_s) {
      const auto found = counts_.find(text);
      if (found == counts_.end()) continue;
      const auto in_usual = usual.find(text);
      const double needed = in_usual == usual.end() ? 0 : in_usual->second;
      const double beyond = found->second - needed * static_cast<double>(windows_.size());
      idle_[text] = std::clamp(beyond, 0.0, per_s * seconds_);
    }
  }

  double per_window(double count) const {
    return windows_.empty() ? 0 : count / static_cast<double>(windows_.size());
  }
  double idle_calls(const std::string& text) const {
    const auto found = idle_.find(text);
    return found == idle_.end() ? 0 : found->second;
  }

  void add_courses(AuditPhase& phase) const {
    for (size_t i = 0; i < courses_.size(); ++i) {
      const auto& [window, count] = courses_[i];
      if (i >= kCourses) {
        phase.set_other_windows(phase.other_windows() + count);
        continue;
      }
      auto* course = phase.add_courses();
      course->set_windows(count);
      std::vector<std::string> keys;
      for (const Described& event : *window) keys.push_back(absl::StrCat(event.task, event.text));
      for (const Cycle& cycle : fold(keys)) {
        auto* step = course->add_steps();
        step->set_times(static_cast<uint32_t>(cycle.times));
        for (size_t at = cycle.begin; at < cycle.begin + cycle.length; ++at) {
          const Described& event = (*window)[at];
          auto* line = step->add_lines();
          line->set_call(event.text);
          line->set_task(event.task);
          line->set_per_window(per_window(counts_.at(event.text) - idle_calls(event.text)));
        }
      }
    }
  }

  void add_counts(AuditPhase& phase) const {
    struct Sum {
      uint64_t calls = 0;
      double idle = 0;
    };
    std::map<std::string, Sum> by_name;
    for (const Window& window : windows_) {
      for (const Described& event : window) by_name[event.name].calls += event.call ? 1 : 0;
    }
    for (const auto& [text, idle] : idle_) by_name[text.substr(0, text.find('('))].idle += idle;
    std::vector<std::pair<std::string, Sum>> sorted(by_name.begin(), by_name.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.calls > b.second.calls; });
    for (const auto& [name, sum] : sorted) {
      if (sum.calls == 0) continue;  // a signal
      auto* count = phase.add_calls();
      count->set_name(name);
      count->set_calls(sum.calls);
      count->set_idle_calls(sum.idle);
      count->set_per_window(per_window(static_cast<double>(sum.calls) - sum.idle));
    }
  }

  std::vector<Window> windows_;
  double seconds_;
  std::vector<std::pair<const Window*, uint32_t>> courses_;
  Tally counts_;
  Tally idle_;
};

double seconds_between(int64_t begin_ns, int64_t end_ns) {
  return static_cast<double>(end_ns - begin_ns) * kSecondsPerNs;
}

}  // namespace

absl::StatusOr<ArmAudit> divide(const Trace& trace, const Marks& marks) {
  Tasks tasks;
  const std::vector<Described> all = describe_all(trace, marks.port, tasks);
  if (all.empty()) {
    return absl::DataLossError(
        "the trace does not hold the target's exec: the tracer did not follow it from its "
        "beginning");
  }
  std::vector<int64_t> edges = marks.requests_ns;
  if (edges.empty()) return absl::InvalidArgumentError("an audit needs at least one request");
  edges.push_back(marks.closing_ns);
  std::vector<Window> requests;
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    requests.push_back(between(all, edges[i], edges[i + 1]));
    if (requests.back().empty() && marks.quiet) {
      return absl::DataLossError(absl::StrCat("the trace is void: request ", i + 1, " of ",
                                              edges.size() - 1,
                                              " was answered without any traced call"));
    }
  }
  const Window idle = between(all, marks.idle_begin_ns, marks.idle_end_ns);
  const double idle_s = seconds_between(marks.idle_begin_ns, marks.idle_end_ns);
  Tally idle_per_s = tally(idle);
  for (auto& [text, count] : idle_per_s) count = idle_s > 0 ? count / idle_s : 0;

  ArmAudit audit;
  const auto phase = [&](std::vector<Window> windows, int64_t begin_ns, int64_t end_ns,
                         bool request, bool courses) {
    const Tally none;
    return PhaseOf(std::move(windows), seconds_between(begin_ns, end_ns),
                   request ? idle_per_s : none, marks.quiet)
        .message(courses);
  };
  const int64_t exec_ns = all.front().begin_ns;
  *audit.mutable_start_up() =
      phase({between(all, exec_ns, marks.connect_ns)}, exec_ns, marks.connect_ns, false, false);
  *audit.mutable_connection() =
      phase({between(all, marks.connect_ns, edges[0])}, marks.connect_ns, edges[0], false, true);
  *audit.mutable_first() = phase({requests[0]}, edges[0], edges[1], true, true);
  requests.erase(requests.begin());
  *audit.mutable_later() = phase(std::move(requests), edges[1], marks.closing_ns, true, true);
  *audit.mutable_idle() = phase({idle}, marks.idle_begin_ns, marks.idle_end_ns, false, true);
  *audit.mutable_shutdown() = phase({between(all, marks.idle_end_ns, INT64_MAX)}, marks.idle_end_ns,
                                    marks.end_ns, false, false);
  audit.set_processes(tasks.processes());
  audit.set_threads(tasks.threads());
  audit.set_boundary(marks.quiet ? "quiet" : "clock");
  if (!marks.quiet) {
    audit.add_notes(
        "the target never came to rest between requests, so that calls are divided by the clock "
        "alone: those at a request's edge may be counted to its neighbour");
  }
  if (trace.unread_lines > 0) {
    audit.add_notes(absl::StrCat(trace.unread_lines, " lines of the tracer could not be read"));
  }
  return audit;
}

}  // namespace hotlap::audit
