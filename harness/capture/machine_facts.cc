// See machine_facts.h.
#include "harness/capture/machine_facts.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/capture/perf_event.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace hotlap::capture {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    for (const char* key : {"model name", "Model", "CPU part"}) {
      if (!line.starts_with(key)) continue;
      const size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  utsname names{};
  uname(&names);
  return names.machine;
}

std::string mitigations() {
  std::vector<std::string> affected;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator("/sys/devices/system/cpu/vulnerabilities", error)) {
    const std::string state = first_line(entry.path());
    if (state.empty() || state == "Not affected") continue;
    affected.push_back(absl::StrCat(entry.path().filename().string(), ": ", state));
  }
  std::sort(affected.begin(), affected.end());
  return absl::StrJoin(affected, "; ");
}

// The name by which the hypervisor introduces itself to its guests.
std::string hypervisor_name() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kHypervisorBit = 1u << 31;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kHypervisorBit) == 0) return "none";
  __cpuid(0x40000000, a, b, c, d);
  char text[13] = {};
  memcpy(text, &b, 4);
  memcpy(text + 4, &c, 4);
  memcpy(text + 8, &d, 4);
  const std::string signature = text;
  if (signature == "KVMKVMKVM") return "kvm";
  if (signature == "Microsoft Hv") return "hyper-v";
  if (signature == "VMwareVMware") return "vmware";
  if (signature == "XenVMMXenVMM") return "xen";
  return absl::StrCat("unknown (", signature, ")");
#else
  const std::string type = first_line("/sys/hypervisor/type");
  return type.empty() ? "none" : type;
#endif
}

std::string virtualization() {
  std::error_code error;
  const bool container =
      fs::exists("/.dockerenv", error) || fs::exists("/run/.containerenv", error);
  const std::string hypervisor = hypervisor_name();
  if (!container) return hypervisor;
  return hypervisor == "none" ? "container" : hypervisor + ", container";
}

std::string address_randomization() {
  const std::string level = first_line("/proc/sys/kernel/randomize_va_space");
  if (level == "0") return "0 (off)";
  if (level == "1") return "1 (without the heap)";
  if (level == "2") return "2 (full)";
  return level;
}

// "always [madvise] never" has the choice in brackets.
std::string bracketed(const std::string& line) {
  const size_t open = line.find('[');
  const size_t close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return line;
  return line.substr(open + 1, close - open - 1);
}

int64_t read_number(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  file >> value;
  return value;
}

int64_t limit_or_max(rlim_t limit) {
  return limit == RLIM_INFINITY ? INT64_MAX : static_cast<int64_t>(limit);
}

}  // namespace

MachineFacts read_machine_facts() {
  MachineFacts facts;
  facts.cpu_model = cpu_model();
  facts.cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  utsname names{};
  uname(&names);
  facts.kernel = names.release;
  facts.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.mitigations = mitigations();
  facts.clocksource =
      first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.virtualization = virtualization();
  facts.congestion_control = first_line("/proc/sys/net/ipv4/tcp_congestion_control");
  facts.address_randomization = address_randomization();
  facts.transparent_hugepages =
      bracketed(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  facts.loopback_mtu = read_number("/sys/class/net/lo/mtu");
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  facts.fd_limit = limit_or_max(files.rlim_cur);
  facts.fd_limit_hard = limit_or_max(files.rlim_max);
  facts.perf_event_paranoid = perf_event_paranoid();
  return facts;
}

}  // namespace hotlap::capture
