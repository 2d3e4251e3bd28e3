// See perf_record.h.
#include "harness/profile/perf_record.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "harness/capture/perf_control.h"
#include "harness/capture/perf_event.h"
#include "harness/profile/object_file.h"
#include "harness/targets/tool.h"

namespace hotlap::profile {
namespace {

constexpr absl::Duration kAttachTime = absl::Seconds(15);
constexpr absl::Duration kWriteTime = absl::Seconds(60);
constexpr absl::Duration kScriptTime = absl::Minutes(10);
constexpr absl::Duration kToolTime = absl::Seconds(30);
// The first that prints where in its file code is, rather than where it was in memory.
constexpr std::pair<int, int> kOldestPerf = {5, 16};
// Of each sample's stack. What lies deeper is cut off: whose code ran shows at the near end.
constexpr int kStackBytes = 4096;
// Room for perf to fall behind on a CPU that it shares; more than unprivileged users may lock.
constexpr char kBufferSize[] = "8M";
// A filter has room for some hundred; of more, the wake-ups of the whole machine are recorded.
constexpr size_t kFilteredThreads = 128;

absl::Status explain(const std::vector<std::string>& events, const std::string& output) {
  return absl::FailedPreconditionError(
      absl::StrCat("perf record did not begin (", absl::StrJoin(events, " "),
                   "): ", output.empty() ? "it said nothing" : output));
}

}  // namespace

const char* call_graph_name(CallGraph call_graph) {
  return call_graph == CallGraph::kFramePointers ? "fp" : "dwarf";
}

std::pair<int, int> perf_version(std::string_view text) {
  constexpr std::string_view kPrefix = "perf version ";
  if (!text.starts_with(kPrefix)) return {0, 0};
  text.remove_prefix(kPrefix.size());
  std::pair<int, int> version = {0, 0};
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, version.first);
  if (error != std::errc() || after == end || *after != '.') return {0, 0};
  std::from_chars(after + 1, end, version.second);
  return version;
}

absl::Status check_installed() {
  if (targets::in_path("perf")) return absl::OkStatus();
  return absl::NotFoundError(
      "perf is not installed: `apt-get install linux-perf` (Ubuntu: linux-tools-generic)");
}

absl::StatusOr<std::string> choose_event(targets::Spawner& spawner, const std::string& directory) {
  const absl::Status installed = check_installed();
  if (!installed.ok()) return installed;
  auto version =
      targets::run_tool(spawner, {"perf", "version"}, directory + "/perf-version", kToolTime);
  if (!version.ok()) return version.status();
  if (perf_version(*version) < kOldestPerf) {
    return absl::NotFoundError(absl::StrCat("this perf is too old (\"",
                                            version->substr(0, version->find('\n')),
                                            "\"): profiles need perf 5.16 or later"));
  }
  if (capture::try_sampling("cycles").ok()) return "cycles";
  const absl::Status clock = capture::try_sampling("cpu-clock");
  if (!clock.ok()) return clock;
  return "cpu-clock";
}

std::vector<std::string> sampled(const std::string& event, uint32_t frequency_hz) {
  return {"--event", event, "--freq", absl::StrCat(frequency_hz)};
}

std::vector<std::string> switches(uint32_t every) {
  return {"--event", "context-switches", "--count", absl::StrCat(every), "--switch-events"};
}

std::vector<std::string> wake_ups(const std::vector<pid_t>& threads) {
  std::vector<std::string> arguments = {"--event", "sched:sched_wakeup"};
  if (threads.size() <= kFilteredThreads) {
    const auto is_it = [](std::string* out, pid_t thread) {
      absl::StrAppend(out, "pid==", thread);
    };
    arguments.insert(arguments.end(), {"--filter", absl::StrJoin(threads, "||", is_it)});
  }
  return arguments;
}

uint32_t max_frequency_hz() {
  std::ifstream file("/proc/sys/kernel/perf_event_max_sample_rate");
  uint32_t most = 0;
  return file >> most ? most : 1000;
}

bool have_unwind_tables(const std::vector<pid_t>& processes) {
  return std::all_of(processes.begin(), processes.end(), [](pid_t pid) {
    const auto program = ObjectFile::open(absl::StrCat("/proc/", pid, "/exe"));
    // What cannot be looked at is taken for the usual.
    return !program.ok() ||
           ((*program)->has_section(".eh_frame") && !(*program)->has_section(".note.go.buildid"));
  });
}

absl::StatusOr<std::unique_ptr<PerfRecord>> PerfRecord::attach(targets::Spawner& spawner,
                                                               const RecordOptions& options) {
  auto control = capture::PerfControl::make(options.file);
  if (!control.ok()) return control.status();
  targets::CompanionOptions companion;
  companion.name = "perf record";
  companion.cpus = options.cpus;
  companion.argv = {"perf",      "record",          "--no-buildid", "--no-buildid-cache",
                    "--clockid", "CLOCK_MONOTONIC", "--output",     options.file};
  const auto add = [&companion](const std::vector<std::string>& arguments) {
    companion.argv.insert(companion.argv.end(), arguments.begin(), arguments.end());
  };
  add(options.events);
  if (options.processes.empty()) {
    add({"--all-cpus"});
  } else {
    add({"--pid", absl::StrJoin(options.processes, ",")});
  }
  if (options.call_graph) {
    const bool unwinds = *options.call_graph == CallGraph::kUnwindTables;
    add({"--call-graph", unwinds ? absl::StrCat("dwarf,", kStackBytes) : "fp"});
  }
  add(control->arguments());
  if (geteuid() == 0) add({"--mmap-pages", kBufferSize});
  auto process = spawner.launch_companion(companion);
  if (!process.ok()) return process.status();
  if (!control->begin((*process)->exit_fd(), kAttachTime)) {
    (*process)->stop();
    return explain(options.events, (*process)->output_tail());
  }
  return std::unique_ptr<PerfRecord>(new PerfRecord(spawner, *std::move(process), options.file));
}

absl::Status PerfRecord::status() const { return process_->status(); }

// perf takes SIGTERM as it takes SIGINT: it writes what it has, and ends by that signal.
void PerfRecord::stop() { process_->stop(kWriteTime); }

absl::StatusOr<std::string> PerfRecord::take_script(bool with_stacks, bool with_fields) {
  const std::string fields = absl::StrCat("pid,tid,time", with_fields ? ",event,trace" : "",
                                          with_stacks ? ",ip,sym,symoff,dso" : "");
  return targets::run_tool(
      spawner_,
      {"perf", "script", "--input", file_, "--no-inline", "--ns", "--show-lost-events",
       "--show-switch-events", "--show-task-events", "--fields", fields},
      file_ + ".script", kScriptTime);
}

}  // namespace hotlap::profile
