// See process_sample.h.
#include "harness/capture/process_sample.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "harness/capture/steal.h"
#include "harness/capture/whole_file.h"

namespace hotlap::capture {
namespace {

// Fields of /proc/PID/stat after the name, the first being the state (field 3 of proc(5)).
struct StatFields {
  std::vector<std::string> words;
  int64_t operator[](size_t field) const {
    int64_t value = 0;
    return absl::SimpleAtoi(words.at(field - 3), &value) ? value : 0;
  }
};

std::optional<StatFields> read_stat(pid_t pid) {
  const auto text = read_whole_file(absl::StrCat("/proc/", pid, "/stat"));
  if (!text) return std::nullopt;
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  StatFields fields;
  fields.words = absl::StrSplit(text->substr(name_end + 1), ' ', absl::SkipEmpty());
  if (fields.words.size() < 22) return std::nullopt;
  return fields;
}

// The number after "NAME:" in a text of such lines; 0 where there is none.
int64_t number_after(const std::string& text, const std::string& name) {
  const size_t at = text.find(absl::StrCat("\n", name, ":"));
  if (at == std::string::npos) return 0;
  return strtoll(text.c_str() + at + name.size() + 2, nullptr, 10);
}

void add_threads(pid_t pid, ProcessSample& sample) {
  int64_t peak_kib = 0;  // of the process, as each thread has it
  for (const pid_t thread : threads_of(pid)) {
    const auto status = read_whole_file(absl::StrCat("/proc/", pid, "/task/", thread, "/status"));
    if (!status) continue;
    ++sample.threads;
    peak_kib = std::max(peak_kib, number_after(*status, "VmHWM"));
    sample.voluntary_switches += number_after(*status, "voluntary_ctxt_switches");
    sample.involuntary_switches += number_after(*status, "nonvoluntary_ctxt_switches");
  }
  sample.rss_peak_bytes += peak_kib * 1024;
}

bool add_process(pid_t pid, ProcessSample& sample) {
  const auto stat = read_stat(pid);
  if (!stat || stat->words[0] == "Z") return false;
  const StatFields& fields = *stat;
  ++sample.processes;
  sample.minor_faults += fields[10] + fields[11];
  sample.major_faults += fields[12] + fields[13];
  sample.user_ns_sampled += (fields[14] + fields[16]) * tick_ns();
  sample.system_ns_sampled += (fields[15] + fields[17]) * tick_ns();
  sample.rss_bytes += fields[24] * sysconf(_SC_PAGESIZE);
  add_threads(pid, sample);
  return true;
}

}  // namespace

absl::StatusOr<ProcessSample> sample_processes(const std::vector<pid_t>& pids) {
  ProcessSample sample;
  bool any = false;
  for (const pid_t pid : pids) any = add_process(pid, sample) || any;
  if (!any) {
    return absl::NotFoundError("none of the target's processes could be read from /proc: it ended");
  }
  return sample;
}

}  // namespace hotlap::capture
