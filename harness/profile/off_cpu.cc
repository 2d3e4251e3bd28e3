// See off_cpu.h.
#include "harness/profile/off_cpu.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

namespace hotlap::profile {
namespace {

constexpr std::string_view kWaitingCalls[] = {
    "epoll_wait",    "epoll_pwait",  "epoll_pwait2", "poll",           "ppoll", "select",
    "pselect6",      "accept",       "accept4",      "io_uring_enter", "pause", "rt_sigtimedwait",
    "rt_sigsuspend", "io_getevents", "wait4",        "waitid"};

// Follows each thread from record to record.
class Follower {
 public:
  explicit Follower(const WakeUps& wake_ups) : wake_ups_(wake_ups) {}

  void take_sample(const ScriptSample& sample) { threads_[sample.thread].sample = &sample; }
  void take_change(const ScriptChange& change);
  Waits finish(const std::vector<pid_t>& first_threads);

 private:
  struct Thread {
    bool seen = false;                     // in any change
    std::optional<Wait> waiting;           // since it left its CPU
    const ScriptSample* sample = nullptr;  // taken as it left: the record comes after it
  };

  void leave(const ScriptChange& change, WaitKind kind, Thread& thread);
  void arrive(const ScriptChange& change, Thread& thread);
  void keep(Wait wait, int64_t end_ns);

  const WakeUps& wake_ups_;
  std::unordered_map<pid_t, Thread> threads_;
  Waits found_;
};

void Follower::take_change(const ScriptChange& change) {
  Thread& thread = threads_[change.thread];
  switch (change.change) {
    case ThreadChange::kRuns:
      arrive(change, thread);
      break;
    case ThreadChange::kSleeps:
      leave(change, WaitKind::kSleep, thread);
      break;
    case ThreadChange::kPreempted:
      leave(change, WaitKind::kPreempted, thread);
      break;
    case ThreadChange::kBegins:
      leave(change, WaitKind::kNew, thread);
      break;
    case ThreadChange::kEnds:
      if (thread.waiting) keep(*thread.waiting, change.time_ns);
      thread.waiting.reset();
      break;
  }
  thread.seen = true;
}

void Follower::leave(const ScriptChange& change, WaitKind kind, Thread& thread) {
  if (thread.waiting) ++found_.torn;
  thread.waiting = Wait{.process = change.process,
                        .thread = change.thread,
                        .kind = kind,
                        .begin_ns = change.time_ns,
                        .ready_ns = change.time_ns,
                        .end_ns = Wait::kLater,
                        .sample = thread.sample};
  thread.sample = nullptr;
}

void Follower::arrive(const ScriptChange& change, Thread& thread) {
  if (thread.waiting) {
    keep(*thread.waiting, change.time_ns);
  } else if (thread.seen) {
    ++found_.torn;
  } else {
    keep({.process = change.process,
          .thread = change.thread,
          .kind = WaitKind::kSleep,
          .begin_ns = Wait::kEarlier},
         change.time_ns);
  }
  thread.waiting.reset();
}

void Follower::keep(Wait wait, int64_t end_ns) {
  wait.end_ns = end_ns;
  if (wait.kind == WaitKind::kSleep) {
    wait.ready_ns = end_ns;
    const auto known = wake_ups_.find(wait.thread);
    if (known != wake_ups_.end()) {
      const auto woken =
          std::lower_bound(known->second.begin(), known->second.end(), wait.begin_ns);
      if (woken != known->second.end() && *woken <= end_ns) wait.ready_ns = *woken;
    }
    const bool is_over = end_ns != Wait::kLater;
    if (wait.ready_ns == end_ns && is_over && !wake_ups_.empty()) ++found_.without_wake_up;
  }
  found_.waits.push_back(wait);
}

Waits Follower::finish(const std::vector<pid_t>& first_threads) {
  for (const auto& [id, thread] : threads_) {
    if (thread.waiting) keep(*thread.waiting, Wait::kLater);
  }
  for (const pid_t id : first_threads) {
    if (!threads_[id].seen) ++found_.still_threads;
  }
  return std::move(found_);
}

}  // namespace

Waits read_waits(const Script& script, const WakeUps& wake_ups) {
  Follower follower(wake_ups);
  size_t sample = 0;
  for (const ScriptChange& change : script.changes) {
    for (; sample < change.samples_before; ++sample) follower.take_sample(script.samples[sample]);
    follower.take_change(change);
  }
  return follower.finish(script.first_threads);
}

WakeUps read_wake_ups(const Script& script) {
  constexpr std::string_view kThread = " pid=";
  WakeUps found;
  for (const ScriptSample& sample : script.samples) {
    // The last one: a thread may have any name.
    const size_t at = sample.fields.rfind(kThread);
    if (at == std::string_view::npos) continue;
    const std::string_view number = sample.fields.substr(at + kThread.size());
    pid_t thread = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), thread);
    if (error == std::errc()) found[thread].push_back(sample.time_ns);
  }
  for (auto& [thread, times] : found) std::sort(times.begin(), times.end());
  return found;
}

bool waits_for_work(std::string_view system_call) {
  return std::find(std::begin(kWaitingCalls), std::end(kWaitingCalls), system_call) !=
         std::end(kWaitingCalls);
}

}  // namespace hotlap::profile
