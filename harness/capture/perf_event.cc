// See perf_event.h.
#include "harness/capture/perf_event.h"

#include <perfmon/pfmlib_perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "harness/capture/tracefs.h"

namespace hotlap::capture {
namespace {

struct Software {
  const char* name;
  uint64_t config;
};
constexpr Software kSoftware[] = {
    {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
    {"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
};

perf_event_attr make_attributes(uint32_t type, uint64_t config) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  return attributes;
}

// libpfm4 keeps its tables in globals and may be set up once only.
int initialise_pfm() {
  static std::once_flag once;
  static int result = PFM_ERR_NOTSUPP;
  std::call_once(once, [] { result = pfm_initialize(); });
  return result;
}

absl::StatusOr<perf_event_attr> resolve_by_pfm(const std::string& event) {
  int result = initialise_pfm();
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  if (result == PFM_SUCCESS) {
    pfm_perf_encode_arg_t argument{};
    argument.size = sizeof argument;
    argument.attr = &attributes;
    result = pfm_get_os_event_encoding(event.c_str(), PFM_PLM3 | PFM_PLM0, PFM_OS_PERF_EVENT_EXT,
                                       &argument);
  }
  if (result == PFM_SUCCESS) return attributes;
  return absl::NotFoundError(absl::StrCat("libpfm4 knows no event \"", event,
                                          "\" on this processor: ", pfm_strerror(result)));
}

std::string open_failure(const std::string& event, const perf_event_attr& attributes, int error) {
  const std::string what =
      absl::StrCat(attributes.sample_freq > 0 ? "cannot sample " : "cannot count ", event, ": ");
  switch (error) {
    case EACCES:
    case EPERM:
      return absl::StrCat(what, "not permitted (perf_event_paranoid is ", perf_event_paranoid(),
                          "); ", paranoid_remedy(attributes.type == PERF_TYPE_TRACEPOINT ? -1 : 1));
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case EINVAL:
      return absl::StrCat(what,
                          is_hardware(attributes)
                              ? "this machine offers no hardware counters (virtual machines "
                                "often hide them)"
                              : "this kernel does not offer it",
                          ": ", strerror(error));
    case ENOSYS:
      return absl::StrCat(what, "this kernel has no perf_event_open");
    case EMFILE:
      return absl::StrCat(what, "too many open files; raise `ulimit -n`");
    default:
      return absl::StrCat(what, strerror(error));
  }
}

absl::StatusCode code_of(int error) {
  if (error == EACCES || error == EPERM) return absl::StatusCode::kPermissionDenied;
  if (error == ESRCH) return absl::StatusCode::kNotFound;
  return absl::StatusCode::kUnavailable;
}

}  // namespace

bool is_hardware(const perf_event_attr& attributes) {
  return attributes.type != PERF_TYPE_SOFTWARE && attributes.type != PERF_TYPE_TRACEPOINT;
}

absl::StatusOr<perf_event_attr> resolve_event(const std::string& event) {
  for (const Software& software : kSoftware) {
    if (event == software.name) return make_attributes(PERF_TYPE_SOFTWARE, software.config);
  }
  // libpfm4 writes its own names with two colons (core::instructions).
  const bool tracepoint =
      event.find(':') != std::string::npos && event.find("::") == std::string::npos;
  if (event == "syscalls" || tracepoint) {
    const auto id = tracepoint_id(tracepoint ? event : "raw_syscalls:sys_enter");
    if (!id.ok()) return id.status();
    return make_attributes(PERF_TYPE_TRACEPOINT, *id);
  }
  // The kernel's own generic events need no table of processors.
  if (event == "instructions") {
    return make_attributes(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
  }
  if (event == "cycles") return make_attributes(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  return resolve_by_pfm(event);
}

absl::StatusOr<UniqueFd> open_event(const std::string& event, perf_event_attr attributes, pid_t pid,
                                    int group_fd) {
  // Software events do not split by user and kernel: leaving the kernel out is a matter of
  // permission only, and the value stays whole.
  bool without_kernel = false;
  while (true) {
    attributes.exclude_kernel = without_kernel ? 1 : 0;
    attributes.exclude_hv = without_kernel ? 1 : 0;
    const long fd =
        syscall(SYS_perf_event_open, &attributes, pid, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    const bool forbidden = errno == EACCES || errno == EPERM;
    if (!forbidden || without_kernel || attributes.type != PERF_TYPE_SOFTWARE) break;
    // Faults and switches that happen within the kernel would go missing.
    if (attributes.config != PERF_COUNT_SW_TASK_CLOCK) break;
    without_kernel = true;
  }
  const int error = errno;
  return absl::Status(code_of(error), open_failure(event, attributes, error));
}

absl::Status try_sampling(const std::string& event) {
  auto attributes = resolve_event(event);
  if (!attributes.ok()) return attributes.status();
  attributes->freq = 1;
  attributes->sample_freq = 1;
  attributes->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
  attributes->disabled = 1;
  const long fd = syscall(SYS_perf_event_open, &*attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    return absl::Status(code_of(error), open_failure(event, *attributes, error));
  }
  close(static_cast<int>(fd));
  return absl::OkStatus();
}

int perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 4;
  file >> level;
  return level;
}

std::string paranoid_remedy(int paranoid_needed) {
  return absl::StrCat("run as root, or `sysctl -w kernel.perf_event_paranoid=", paranoid_needed,
                      "`");
}

}  // namespace hotlap::capture
