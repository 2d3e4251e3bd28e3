// What this machine lets us measure and what stands in the way, found by trying each thing: for
// `hotlap doctor` and for every result. Takes some tens of milliseconds; changes nothing.
#ifndef HOTLAP_HARNESS_CAPTURE_ENVIRONMENT_H_
#define HOTLAP_HARNESS_CAPTURE_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "harness/capture/machine_facts.h"

namespace hotlap::capture {

// A way to measure, or a condition of the machine that measuring depends on.
struct Probe {
  std::string name;        // "perf_task_clock"
  bool available = false;  // of a condition: it is as it should be
  std::string detail;      // what was found, or why it is not available
  std::string remedy;      // the exact command that would enable it; empty when available
};

// Every probe below, in the order in which doctor prints them: cpu_clock, perf_task_clock,
// perf_software, tracefs, perf_tracepoints, syscall_counting, perf_hardware, allocation_counting,
// cgroup_cpu, ptrace, pid_namespace, cpus, governor, congestion_control, clocksource, aslr,
// transparent_hugepages, loopback_mtu, fd_limit, perf_event_paranoid, kptr_restrict, mitigations,
// virtualization, steal, and those of noise.h.
std::vector<Probe> probe_environment();

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_ENVIRONMENT_H_
