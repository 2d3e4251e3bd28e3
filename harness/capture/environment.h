// What this machine is and what it lets us measure, found by trying each thing: for `hotlap
// doctor` and for every result. Takes some tens of milliseconds; changes nothing.
#ifndef HOTLAP_HARNESS_CAPTURE_ENVIRONMENT_H_
#define HOTLAP_HARNESS_CAPTURE_ENVIRONMENT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace hotlap::capture {

// A condition of the machine or a way to measure.
struct Probe {
  std::string name;  // "perf_task_clock"
  bool available = false;
  std::string detail;  // what was found, or why it is not available
  std::string remedy;  // the exact command that would enable it; empty when available
};

struct MachineFacts {
  std::string cpu_model;
  int cpus = 0;             // online
  std::string kernel;       // "6.1.0-13-amd64"
  std::string governor;     // empty where there is none
  std::string mitigations;  // "spectre_v2: Mitigation: …; …", affected ones only
  std::string clocksource;
  std::string virtualization;         // "none", "kvm", "container", …
  std::string congestion_control;     // the machine's default for new sockets
  std::string address_randomization;  // "2 (full)"
  std::string transparent_hugepages;  // "always", "madvise", "never"
  int64_t loopback_mtu = 0;
  int64_t fd_limit = 0;  // soft
  int64_t fd_limit_hard = 0;
  int perf_event_paranoid = 0;  // 4 where perf is not there
};

MachineFacts ReadMachineFacts();

// Every probe below, in the order in which doctor prints them: cpu_clock, perf_task_clock,
// perf_software, tracefs, perf_tracepoints, syscall_counting, perf_hardware, ptrace,
// pid_namespace, cpus, governor, congestion_control, clocksource, aslr, transparent_hugepages,
// loopback_mtu, fd_limit, perf_event_paranoid, virtualization, steal.
std::vector<Probe> ProbeEnvironment();

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_ENVIRONMENT_H_
