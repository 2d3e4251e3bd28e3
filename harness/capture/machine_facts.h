// What this machine is, as recorded with every result: read from /proc, /sys and the processor.
// Changes nothing; some milliseconds. What cannot be read is empty.
#ifndef HOTLAP_HARNESS_CAPTURE_MACHINE_FACTS_H_
#define HOTLAP_HARNESS_CAPTURE_MACHINE_FACTS_H_

#include <cstdint>
#include <string>

namespace hotlap::capture {

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

MachineFacts read_machine_facts();

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_MACHINE_FACTS_H_
