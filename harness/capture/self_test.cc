// See self_test.h. The known process is stopped by its own SIGSTOP when the counters are opened,
// so that no call of it is under way; from then on every call that it makes is known, for it makes
// them itself, without the C library, whose fork and exit make calls of their own.
#include "harness/capture/self_test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/capture/perf_counter.h"
#include "harness/capture/syscall_names.h"

namespace hotlap::capture {
namespace {

long raw_fork() { return syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); }

// Calls: one clone and one wait4 per child and one exit by the root, and in each child its calls
// and one exit.
__attribute__((no_sanitize("address", "undefined"))) void run_known_calls(const KnownCalls& known) {
  for (int i = 0; i < known.processes; ++i) {
    if (raw_fork() != 0) continue;
    for (int64_t call = 0; call < known.calls_per_process; ++call) syscall(SYS_getppid);
    syscall(SYS_exit_group, 0);
  }
  for (int i = 0; i < known.processes; ++i) syscall(SYS_wait4, -1, nullptr, 0, nullptr);
  syscall(SYS_exit_group, 0);
}

int64_t expected_calls(const KnownCalls& known) {
  return known.processes * (known.calls_per_process + 3) + 1;
}

// The root of the known processes: killed and reaped whatever happens.
class KnownProcess {
 public:
  explicit KnownProcess(const KnownCalls& known) : pid_(static_cast<pid_t>(raw_fork())) {
    if (pid_ != 0) return;
    // Other threads of this process do not exist here: only plain calls until the end.
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // not left behind, stopped for ever
    syscall(SYS_kill, syscall(SYS_getpid), SIGSTOP);
    run_known_calls(known);
  }
  ~KnownProcess() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait(WEXITED);
  }
  KnownProcess(const KnownProcess&) = delete;
  KnownProcess& operator=(const KnownProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool started() const { return pid_ > 0; }

  // Waits until it has stopped itself; false when it ended instead.
  bool await_stopped() { return wait(WSTOPPED | WEXITED | WNOWAIT) == CLD_STOPPED; }

  // Lets it run to its end and waits for that, without reaping: the counters still see it.
  bool run_to_end() {
    kill(pid_, SIGCONT);
    return wait(WEXITED | WNOWAIT) == CLD_EXITED;
  }

 private:
  int wait(int options) const {
    siginfo_t info{};
    while (waitid(P_PID, pid_, &info, options) != 0) {
      if (errno != EINTR) return -1;
    }
    return info.si_code;
  }

  pid_t pid_;
};

// What PerfCounters makes of the known process, event by event.
absl::StatusOr<std::vector<int64_t>> count_events(const KnownCalls& known,
                                                  const std::vector<std::string>& events) {
  if (known.processes < 1 || known.processes > 1000 || known.calls_per_process < 0) {
    return absl::InvalidArgumentError("1 to 1000 processes can make known calls");
  }
  KnownProcess process(known);
  if (!process.started()) return absl::ErrnoToStatus(errno, "cannot fork a process to count");
  if (!process.await_stopped()) return absl::InternalError("the process to count did not start");
  const auto counters = PerfCounters::open(process.pid(), events, CounterStart::kNow);
  if (!counters.ok()) return counters.status();
  for (const auto& [event, reason] : counters->unavailable()) {
    return absl::UnavailableError(reason);
  }
  if (!process.run_to_end()) return absl::InternalError("the process to count did not end well");
  const auto values = counters->read();
  if (!values.ok()) return values.status();
  std::vector<int64_t> counted;
  for (const auto& value : *values) counted.push_back(value.value_or(0));
  return counted;
}

}  // namespace

absl::StatusOr<CallCount> count_known_calls(const KnownCalls& known) {
  const auto counted = count_events(known, {"syscalls"});
  if (!counted.ok()) return counted.status();
  return CallCount{expected_calls(known), counted->front()};
}

absl::Status check_named_syscall_counting(const KnownCalls& known) {
  const std::pair<std::string, int64_t> made[] = {
      {"getppid", known.processes * known.calls_per_process}, {"wait4", known.processes}};
  std::vector<std::string> events;
  for (const auto& [name, calls] : made) events.push_back(syscall_event(name));
  const auto counted = count_events(known, events);
  if (!counted.ok()) return counted.status();
  for (size_t i = 0; i < events.size(); ++i) {
    if ((*counted)[i] == made[i].second) continue;
    return absl::DataLossError(absl::StrCat(
        "counting system calls by name is void: ", made[i].second, " known calls of ",
        made[i].first, " were counted as ", (*counted)[i], "; is another tracer at work?"));
  }
  return absl::OkStatus();
}

absl::Status check_syscall_counting(const KnownCalls& known) {
  const auto count = count_known_calls(known);
  if (!count.ok()) return count.status();
  if (count->counted == count->expected) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("counting system calls is void: ", count->expected, " known calls by ",
                   known.processes, known.processes == 1 ? " process" : " processes",
                   " were counted as ", count->counted, "; is another tracer at work?"));
}

}  // namespace hotlap::capture
