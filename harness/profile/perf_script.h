// What `perf script` wrote (-F pid,tid,time,ip,sym,symoff,dso --ns --show-lost-events) as samples,
// and with --show-switch-events --show-task-events what became of threads.
// Linear in the text, of which every name is a view: it must outlive them.
#ifndef HOTLAP_HARNESS_PROFILE_PERF_SCRIPT_H_
#define HOTLAP_HARNESS_PROFILE_PERF_SCRIPT_H_

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace hotlap::profile {

struct ScriptFrame {
  // Of the kernel as it is; else the offset in the object's file, as perf 5.16 and later print it.
  uint64_t address = 0;
  std::string_view function;  // without offset; empty where there is no symbol
  std::string_view object;    // path, "[kernel.kallsyms]", "[vdso]"; empty where it is not known
  bool kernel = false;
};

struct ScriptSample {
  pid_t process = 0;
  pid_t thread = 0;
  int64_t time_ns = 0;              // on the clock that perf record was given
  std::vector<ScriptFrame> frames;  // where it was first, its callers after it; may be empty
  std::string_view fields = {};     // of a tracepoint or probe, behind its name; else empty
};

enum class ThreadChange { kRuns, kSleeps, kPreempted, kBegins, kEnds };

struct ScriptChange {
  pid_t process = 0;
  pid_t thread = 0;
  int64_t time_ns = 0;
  ThreadChange change = ThreadChange::kRuns;
  size_t samples_before = 0;  // where it stands among the samples
  pid_t begun_by = 0;         // of a beginning: the thread that cloned it
};

struct Script {
  std::vector<ScriptSample> samples;
  std::vector<ScriptChange> changes;
  std::vector<pid_t> first_threads;  // those that were there before the recording
  int64_t lost_samples = 0;
  int64_t unread_lines = 0;  // that are none of perf's known forms
};

Script read_script(std::string_view text);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_PERF_SCRIPT_H_
