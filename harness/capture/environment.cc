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
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/capture/allocation_count.h"
#include "harness/capture/cgroup.h"
#include "harness/capture/cpu_clock.h"
#include "harness/capture/noise.h"
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

Probe available(const std::string& name, const std::string& detail) {
  return {name, true, detail, {}};
}

Probe unavailable(const std::string& name, const std::string& detail, const std::string& remedy) {
  return {name, false, detail, remedy};
}

std::string message(const absl::Status& status) { return std::string(status.message()); }

// What a short-lived child's attempt ends with: 0, or an errno.
int try_in_child(int (*attempt)()) {
  const long pid = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid < 0) return errno;
  if (pid == 0) syscall(SYS_exit_group, attempt());
  int status = 0;
  while (waitpid(static_cast<pid_t>(pid), &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

Probe probe_cpu_clock() {
  const auto clock = ProcessClock::open(getpid());
  if (!clock.ok())
    return unavailable("cpu_clock", message(clock.status()), "run on Linux >= 2.6.12");
  timespec resolution{};
  clock_getres(CLOCK_PROCESS_CPUTIME_ID, &resolution);
  return available("cpu_clock", absl::StrCat("process CPU clocks, ", resolution.tv_nsec,
                                             " ns; no permission needed"));
}

Probe probe_events(const std::string& name, const std::vector<std::string>& events,
                   const std::string& remedy) {
  const auto counters = PerfCounters::open(getpid(), events, CounterStart::kNow);
  if (!counters.ok()) return unavailable(name, message(counters.status()), remedy);
  if (!counters->unavailable().empty()) {
    return unavailable(name, counters->unavailable().begin()->second, remedy);
  }
  const auto values = counters->read();
  if (!values.ok()) return unavailable(name, message(values.status()), remedy);
  return available(name, absl::StrJoin(events, ", "));
}

Probe probe_tracefs() {
  const auto place = find_tracefs();
  if (place.ok()) return available("tracefs", "mounted at " + *place);
  const bool permission = absl::IsPermissionDenied(place.status());
  return unavailable("tracefs", message(place.status()),
                     permission ? "run as root" : mount_tracefs_command() + "   # as root");
}

Probe probe_syscall_counting(const Probe& tracepoints) {
  if (!tracepoints.available) {
    return unavailable("syscall_counting", tracepoints.detail, tracepoints.remedy);
  }
  constexpr KnownCalls kKnown{.processes = 4, .calls_per_process = 2'500};
  const absl::Status exact = check_syscall_counting(kKnown);
  if (!exact.ok()) {
    return unavailable("syscall_counting", message(exact), "stop other tracers, then try again");
  }
  return available("syscall_counting", "10,000 known calls of 4 processes counted exactly");
}

Probe probe_allocation_counting() {
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  const absl::Status exact = check_allocation_counting(temporary.string());
  if (exact.ok()) {
    return available("allocation_counting",
                     "28,000 known allocations of 4 threads counted exactly");
  }
  return unavailable("allocation_counting", message(exact),
                     "build or install hotlap whole, with its lib/hotlap");
}

Probe probe_cgroup_cpu() {
  const std::vector<std::string> mounts = cgroup_mounts();
  if (mounts.empty()) {
    return unavailable("cgroup_cpu", "no cgroups are mounted that count CPU time",
                       "mount -t cgroup2 cgroup2 /sys/fs/cgroup   # as root");
  }
  return available("cgroup_cpu", absl::StrCat("below ", absl::StrJoin(mounts, " and ")));
}

Probe probe_ptrace() {
  const int error = try_in_child(
      [] { return syscall(SYS_ptrace, PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : errno; });
  if (error == 0) return available("ptrace", "children can be traced (strace)");
  return unavailable("ptrace", strerror(error), "sysctl -w kernel.yama.ptrace_scope=1");
}

Probe probe_pid_namespace() {
  const int error = try_in_child([] {
    if (syscall(SYS_unshare, CLONE_NEWPID) == 0) return 0;
    return syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWPID) == 0 ? 0 : errno;
  });
  if (error == 0) return available("pid_namespace", "targets cannot outlive the agent");
  return unavailable("pid_namespace",
                     absl::StrCat(strerror(error), "; a walk of the tree ends targets instead"),
                     "run as root, or sysctl -w kernel.unprivileged_userns_clone=1");
}

Probe probe_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  const int allowed = CPU_COUNT(&set);
  const std::string detail = absl::StrCat(allowed, " CPUs may be used");
  if (allowed >= 2) return available("cpus", detail);
  return unavailable("cpus", absl::StrCat(detail, "; servers and load need one each"),
                     "taskset -c 0,1 hotlap …");
}

Probe probe_governor(const MachineFacts& facts) {
  if (facts.governor.empty()) return available("governor", "none: frequency is not ours to set");
  if (facts.governor == "performance") return available("governor", facts.governor);
  return unavailable("governor", facts.governor + ": the clock rate follows the load",
                     "cpupower frequency-set --governor performance");
}

Probe probe_congestion_control(const MachineFacts& facts) {
  const std::string& found = facts.congestion_control;
  if (found == "cubic" || found == "reno") return available("congestion_control", found);
  return unavailable("congestion_control",
                     found +
                         ": fresh connections are noisier; sockets of hotlap ask for cubic, "
                         "foreign servers keep this",
                     "sysctl -w net.ipv4.tcp_congestion_control=cubic");
}

Probe probe_clocksource(const MachineFacts& facts) {
  for (const char* fast : {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}) {
    if (facts.clocksource == fast) return available("clocksource", facts.clocksource);
  }
  return unavailable("clocksource",
                     facts.clocksource + ": every look at the clock is a system call",
                     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource");
}

Probe probe_address_randomization(const MachineFacts& facts) {
  if (facts.address_randomization.starts_with("2")) {
    return available("aslr", facts.address_randomization + ": every process gets a new layout");
  }
  return unavailable("aslr",
                     facts.address_randomization + ": all rounds share one layout and its luck",
                     "sysctl -w kernel.randomize_va_space=2");
}

Probe probe_hugepages(const MachineFacts& facts) {
  const std::string& found = facts.transparent_hugepages;
  if (found.empty()) return available("transparent_hugepages", "none");
  if (found != "always") return available("transparent_hugepages", found);
  return unavailable("transparent_hugepages", "always: the kernel merges pages when it likes",
                     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

Probe probe_loopback(const MachineFacts& facts) {
  constexpr int64_t kUsualMtu = 65536;
  const std::string detail = absl::StrCat(facts.loopback_mtu, " bytes");
  if (facts.loopback_mtu == kUsualMtu) return available("loopback_mtu", detail);
  return unavailable("loopback_mtu", absl::StrCat(detail, ", usually ", kUsualMtu),
                     absl::StrCat("ip link set lo mtu ", kUsualMtu));
}

Probe probe_fd_limit(const MachineFacts& facts) {
  const std::string detail = absl::StrCat(facts.fd_limit, " soft, ", facts.fd_limit_hard, " hard");
  if (facts.fd_limit >= kFewFiles) return available("fd_limit", detail);
  return unavailable("fd_limit", absl::StrCat(detail, ": too few for thousands of connections"),
                     absl::StrCat("ulimit -n ", facts.fd_limit_hard >= kFewFiles
                                                    ? std::to_string(facts.fd_limit_hard)
                                                    : "65536   # as root"));
}

Probe probe_paranoid(const MachineFacts& facts) {
  const std::string detail =
      absl::StrCat(facts.perf_event_paranoid, geteuid() == 0 ? ", and we are root" : "");
  if (geteuid() == 0 || facts.perf_event_paranoid <= kParanoidThatCountsKernel) {
    return available("perf_event_paranoid", detail);
  }
  return unavailable(
      "perf_event_paranoid", detail + ": the kernel's side is not counted",
      absl::StrCat("sysctl -w kernel.perf_event_paranoid=", kParanoidThatCountsKernel));
}

Probe probe_kernel_symbols() {
  std::ifstream file("/proc/sys/kernel/kptr_restrict");
  int level = 0;
  file >> level;
  const std::string detail = absl::StrCat(level);
  if (level == 0) return available("kptr_restrict", detail);
  return unavailable("kptr_restrict", detail + ": profiles lack the names of kernel functions",
                     "sysctl -w kernel.kptr_restrict=0");
}

// Not for us to change: what a system call costs is part of what the machine is.
Probe probe_mitigations(const MachineFacts& facts) {
  return available("mitigations", facts.mitigations.empty() ? "none" : facts.mitigations);
}

Probe probe_steal() {
  const auto times = read_cpu_times({});
  if (!times.ok()) return unavailable("steal", message(times.status()), "mount -t proc proc /proc");
  const double total = static_cast<double>(times->steal_ns + times->busy_ns + times->idle_ns);
  const double percent = total > 0 ? 100.0 * static_cast<double>(times->steal_ns) / total : 0.0;
  const std::string detail = absl::StrFormat("%.2f %% of the time since boot", percent);
  if (percent <= kMostStealPercent) return available("steal", detail);
  return unavailable("steal", detail + ": neighbours take our CPUs, rounds will be void",
                     "choose a machine with CPUs of its own");
}

}  // namespace

std::vector<Probe> probe_environment() {
  const MachineFacts facts = read_machine_facts();
  std::vector<Probe> probes = {probe_cpu_clock()};
  probes.push_back(probe_events("perf_task_clock", {"task-clock"}, paranoid_remedy(2)));
  probes.push_back(probe_events(
      "perf_software", {"minor-faults", "major-faults", "context-switches"}, paranoid_remedy(1)));
  const Probe tracefs = probe_tracefs();
  probes.push_back(tracefs);
  const Probe tracepoints = probe_events("perf_tracepoints", {"syscalls"},
                                         tracefs.available ? paranoid_remedy(-1) : tracefs.remedy);
  probes.push_back(tracepoints);
  probes.push_back(probe_syscall_counting(tracepoints));
  probes.push_back(probe_events("perf_hardware", {"instructions", "cycles"},
                                facts.virtualization == "none"
                                    ? paranoid_remedy(1)
                                    : "expose the PMU to this machine (KVM: -cpu host,pmu=on), or "
                                      "run on bare metal"));
  probes.push_back(probe_allocation_counting());
  probes.push_back(probe_cgroup_cpu());
  probes.push_back(probe_ptrace());
  probes.push_back(probe_pid_namespace());
  probes.push_back(probe_cpus());
  probes.push_back(probe_governor(facts));
  probes.push_back(probe_congestion_control(facts));
  probes.push_back(probe_clocksource(facts));
  probes.push_back(probe_address_randomization(facts));
  probes.push_back(probe_hugepages(facts));
  probes.push_back(probe_loopback(facts));
  probes.push_back(probe_fd_limit(facts));
  probes.push_back(probe_paranoid(facts));
  probes.push_back(probe_kernel_symbols());
  probes.push_back(probe_mitigations(facts));
  probes.push_back(available("virtualization", facts.virtualization));
  probes.push_back(probe_steal());
  for (Probe& probe : probe_noise()) probes.push_back(std::move(probe));
  return probes;
}

}  // namespace hotlap::capture
