// See cpu_clock.h.
#include "harness/capture/cpu_clock.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hotlap::capture {
namespace {

int64_t to_ns(const timespec& time) { return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec; }

}  // namespace

absl::StatusOr<ProcessClock> ProcessClock::open(pid_t pid) {
  // 0 would be the caller's own clock.
  if (pid <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("process ", pid, " is no process"));
  }
  clockid_t clock;
  const int error = clock_getcpuclockid(pid, &clock);
  if (error == 0) {
    const ProcessClock opened(pid, clock);
    if (opened.read_ns()) return opened;
  }
  return absl::NotFoundError(
      absl::StrCat("process ", pid, " has no CPU clock: it has ended, or is no process"));
}

std::optional<int64_t> ProcessClock::read_ns() const {
  timespec now;
  if (clock_gettime(clock_, &now) != 0) return std::nullopt;
  return to_ns(now);
}

absl::StatusOr<TreeClock> TreeClock::open(const std::vector<pid_t>& pids) {
  if (pids.empty()) {
    return absl::InvalidArgumentError("no process to read a CPU clock of: has the target ended?");
  }
  TreeClock tree;
  for (const pid_t pid : pids) {
    const auto clock = ProcessClock::open(pid);
    if (!clock.ok()) return clock.status();
    tree.clocks_.push_back(*clock);
  }
  return tree;
}

TreeClock::Reading TreeClock::read() const {
  Reading reading;
  for (const ProcessClock& clock : clocks_) {
    const auto cpu_ns = clock.read_ns();
    if (cpu_ns) {
      reading.cpu_ns += *cpu_ns;
    } else {
      ++reading.vanished;
    }
  }
  return reading;
}

int64_t this_thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return to_ns(now);
}

}  // namespace hotlap::capture
