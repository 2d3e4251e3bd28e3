// See environment.h.
#include "harness/capture/environment.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/capture/cpu_clock.h"
#include "harness/capture/perf_counter.h"
#include "harness/capture/perf_event.h"
#include "harness/capture/self_test.h"
#include "harness/capture/steal.h"
#include "harness/capture/tracefs.h"

namespace hotlap::capture {
namespace {

constexpr int64_t kFewFiles = 4096;
constexpr int kParanoidThatCountsKernel = 1;
constexpr double kMostStealPercent = 2.0;

Probe Available(const std::string& name, const std::string& detail) {
  return {name, true, detail, {}};
}

Probe Unavailable(const std::string& name, const std::string& detail, const std::string& remedy) {
  return {name, false, detail, remedy};
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// What a short-lived child's attempt ends with: 0, or an errno.
int TryInChild(int (*attempt)()) {
  const long pid = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid < 0) return errno;
  if (pid == 0) syscall(SYS_exit_group, attempt());
  int status = 0;
  while (waitpid(static_cast<pid_t>(pid), &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

Probe ProbeCpuClock() {
  const auto clock = ProcessClock::Open(getpid());
  if (!clock.ok())
    return Unavailable("cpu_clock", Message(clock.status()), "run on Linux >= 2.6.12");
  timespec resolution{};
  clock_getres(CLOCK_PROCESS_CPUTIME_ID, &resolution);
  return Available("cpu_clock", absl::StrCat("process CPU clocks, ", resolution.tv_nsec,
                                             " ns; no permission needed"));
}

Probe ProbeEvents(const std::string& name, const std::vector<std::string>& events,
                  const std::string& remedy) {
  const auto counters = PerfCounters::Open(getpid(), events, CounterStart::kNow);
  if (!counters.ok()) return Unavailable(name, Message(counters.status()), remedy);
  if (!counters->unavailable().empty()) {
    return Unavailable(name, counters->unavailable().begin()->second, remedy);
  }
  const auto values = counters->Read();
  if (!values.ok()) return Unavailable(name, Message(values.status()), remedy);
  return Available(name, absl::StrJoin(events, ", "));
}

Probe ProbeTracefs() {
  const auto place = FindTracefs();
  if (place.ok()) return Available("tracefs", "mounted at " + *place);
  const bool permission = absl::IsPermissionDenied(place.status());
  return Unavailable("tracefs", Message(place.status()),
                     permission ? "run as root" : MountTracefsCommand() + "   # as root");
}

Probe ProbeSyscallCounting(const Probe& tracepoints) {
  if (!tracepoints.available) {
    return Unavailable("syscall_counting", tracepoints.detail, tracepoints.remedy);
  }
  constexpr KnownCalls kKnown{.processes = 4, .calls_per_process = 2'500};
  const absl::Status exact = CheckSyscallCounting(kKnown);
  if (!exact.ok()) {
    return Unavailable("syscall_counting", Message(exact), "stop other tracers, then try again");
  }
  return Available("syscall_counting", "10,000 known calls of 4 processes counted exactly");
}

Probe ProbePtrace() {
  const int error = TryInChild(
      [] { return syscall(SYS_ptrace, PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : errno; });
  if (error == 0) return Available("ptrace", "children can be traced (strace)");
  return Unavailable("ptrace", strerror(error), "sysctl -w kernel.yama.ptrace_scope=1");
}

Probe ProbePidNamespace() {
  const int error = TryInChild([] {
    if (syscall(SYS_unshare, CLONE_NEWPID) == 0) return 0;
    return syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWPID) == 0 ? 0 : errno;
  });
  if (error == 0) return Available("pid_namespace", "targets cannot outlive the agent");
  return Unavailable("pid_namespace",
                     absl::StrCat(strerror(error), "; a walk of the tree ends targets instead"),
                     "run as root, or sysctl -w kernel.unprivileged_userns_clone=1");
}

Probe ProbeCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  const int allowed = CPU_COUNT(&set);
  const std::string detail = absl::StrCat(allowed, " CPUs may be used");
  if (allowed >= 2) return Available("cpus", detail);
  return Unavailable("cpus", absl::StrCat(detail, "; servers and load need one each"),
                     "taskset -c 0,1 hotlap …");
}

Probe ProbeGovernor(const MachineFacts& facts) {
  if (facts.governor.empty()) return Available("governor", "none: frequency is not ours to set");
  if (facts.governor == "performance") return Available("governor", facts.governor);
  return Unavailable("governor", facts.governor + ": the clock rate follows the load",
                     "cpupower frequency-set --governor performance");
}

Probe ProbeCongestionControl(const MachineFacts& facts) {
  const std::string& found = facts.congestion_control;
  if (found == "cubic" || found == "reno") return Available("congestion_control", found);
  return Unavailable("congestion_control",
                     found +
                         ": fresh connections are noisier; sockets of hotlap ask for cubic, "
                         "foreign servers keep this",
                     "sysctl -w net.ipv4.tcp_congestion_control=cubic");
}

Probe ProbeClocksource(const MachineFacts& facts) {
  for (const char* fast : {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}) {
    if (facts.clocksource == fast) return Available("clocksource", facts.clocksource);
  }
  return Unavailable("clocksource",
                     facts.clocksource + ": every look at the clock is a system call",
                     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource");
}

Probe ProbeAddressRandomization(const MachineFacts& facts) {
  if (facts.address_randomization.starts_with("2")) {
    return Available("aslr", facts.address_randomization + ": every process gets a new layout");
  }
  return Unavailable("aslr",
                     facts.address_randomization + ": all rounds share one layout and its luck",
                     "sysctl -w kernel.randomize_va_space=2");
}

Probe ProbeHugepages(const MachineFacts& facts) {
  const std::string& found = facts.transparent_hugepages;
  if (found.empty()) return Available("transparent_hugepages", "none");
  if (found != "always") return Available("transparent_hugepages", found);
  return Unavailable("transparent_hugepages", "always: the kernel merges pages when it likes",
                     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

Probe ProbeLoopback(const MachineFacts& facts) {
  constexpr int64_t kUsualMtu = 65536;
  const std::string detail = absl::StrCat(facts.loopback_mtu, " bytes");
  if (facts.loopback_mtu == kUsualMtu) return Available("loopback_mtu", detail);
  return Unavailable("loopback_mtu", absl::StrCat(detail, ", usually ", kUsualMtu),
                     absl::StrCat("ip link set lo mtu ", kUsualMtu));
}

Probe ProbeFdLimit(const MachineFacts& facts) {
  const std::string detail = absl::StrCat(facts.fd_limit, " soft, ", facts.fd_limit_hard, " hard");
  if (facts.fd_limit >= kFewFiles) return Available("fd_limit", detail);
  return Unavailable("fd_limit", absl::StrCat(detail, ": too few for thousands of connections"),
                     absl::StrCat("ulimit -n ", facts.fd_limit_hard >= kFewFiles
                                                    ? std::to_string(facts.fd_limit_hard)
                                                    : "65536   # as root"));
}

Probe ProbeParanoid(const MachineFacts& facts) {
  const std::string detail =
      absl::StrCat(facts.perf_event_paranoid, geteuid() == 0 ? ", and we are root" : "");
  if (geteuid() == 0 || facts.perf_event_paranoid <= kParanoidThatCountsKernel) {
    return Available("perf_event_paranoid", detail);
  }
  return Unavailable(
      "perf_event_paranoid", detail + ": the kernel's side is not counted",
      absl::StrCat("sysctl -w kernel.perf_event_paranoid=", kParanoidThatCountsKernel));
}

Probe ProbeSteal() {
  const auto times = ReadCpuTimes({});
  if (!times.ok()) return Unavailable("steal", Message(times.status()), "mount -t proc proc /proc");
  const double total = static_cast<double>(times->steal_ns + times->busy_ns + times->idle_ns);
  const double percent = total > 0 ? 100.0 * static_cast<double>(times->steal_ns) / total : 0.0;
  const std::string detail = absl::StrFormat("%.2f %% of the time since boot", percent);
  if (percent <= kMostStealPercent) return Available("steal", detail);
  return Unavailable("steal", detail + ": neighbours take our CPUs, rounds will be void",
                     "choose a machine with CPUs of its own");
}

}  // namespace

std::vector<Probe> ProbeEnvironment() {
  const MachineFacts facts = ReadMachineFacts();
  std::vector<Probe> probes = {ProbeCpuClock()};
  probes.push_back(ProbeEvents("perf_task_clock", {"task-clock"}, ParanoidRemedy(2)));
  probes.push_back(ProbeEvents(
      "perf_software", {"minor-faults", "major-faults", "context-switches"}, ParanoidRemedy(1)));
  const Probe tracefs = ProbeTracefs();
  probes.push_back(tracefs);
  const Probe tracepoints = ProbeEvents("perf_tracepoints", {"syscalls"},
                                        tracefs.available ? ParanoidRemedy(-1) : tracefs.remedy);
  probes.push_back(tracepoints);
  probes.push_back(ProbeSyscallCounting(tracepoints));
  probes.push_back(ProbeEvents("perf_hardware", {"instructions", "cycles"},
                               facts.virtualization == "none"
                                   ? ParanoidRemedy(1)
                                   : "expose the PMU to this machine (KVM: -cpu host,pmu=on), or "
                                     "run on bare metal"));
  probes.push_back(ProbePtrace());
  probes.push_back(ProbePidNamespace());
  probes.push_back(ProbeCpus());
  probes.push_back(ProbeGovernor(facts));
  probes.push_back(ProbeCongestionControl(facts));
  probes.push_back(ProbeClocksource(facts));
  probes.push_back(ProbeAddressRandomization(facts));
  probes.push_back(ProbeHugepages(facts));
  probes.push_back(ProbeLoopback(facts));
  probes.push_back(ProbeFdLimit(facts));
  probes.push_back(ProbeParanoid(facts));
  probes.push_back(Available("virtualization", facts.virtualization));
  probes.push_back(ProbeSteal());
  return probes;
}

}  // namespace hotlap::capture
