// See fault_record.h.
#include "harness/audit/fault_record.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "harness/capture/perf_control.h"
#include "harness/profile/perf_record.h"
#include "harness/targets/tool.h"

namespace hotlap::audit {
namespace {

constexpr absl::Duration kAttachTime = absl::Seconds(20);
constexpr absl::Duration kEndTime = absl::Seconds(30);
constexpr absl::Duration kScriptTime = absl::Minutes(2);  // source lines are looked up one by one
constexpr char kStackBytes[] = "dwarf,4096";

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "it said nothing";
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FaultRecord>> FaultRecord::attach(
    targets::Spawner& spawner, const std::vector<pid_t>& processes, const std::string& directory) {
  const absl::Status installed = profile::check_installed();
  if (!installed.ok()) return installed;
  auto control = capture::PerfControl::make(directory + "/faults");
  if (!control.ok()) return control.status();
  targets::CompanionOptions options;
  options.name = "perf record";
  options.argv = {"perf",
                  "record",
                  "--quiet",
                  "--no-buildid",
                  "--no-buildid-cache",
                  "--event",
                  "page-faults",
                  "--count",
                  "1",
                  "--data",
                  "--call-graph",
                  kStackBytes,
                  "--output",
                  directory + "/faults.data",
                  "--pid",
                  absl::StrJoin(processes, ",")};
  const std::vector<std::string> pipes = control->arguments();
  options.argv.insert(options.argv.end(), pipes.begin(), pipes.end());
  auto process = spawner.launch_companion(options);
  if (!process.ok()) return process.status();
  if (!control->begin((*process)->exit_fd(), kAttachTime)) {
    (*process)->stop();
    return absl::FailedPreconditionError(
        absl::StrCat("perf record did not begin: ", last_line((*process)->output_tail())));
  }
  // The constructor is private.
  return std::unique_ptr<FaultRecord>(new FaultRecord(spawner, *std::move(process), directory));
}

absl::StatusOr<std::string> FaultRecord::take_script() {
  // Its launcher passes SIGTERM on to perf, which then writes what it has and ends.
  process_->stop(kEndTime);
  auto script = targets::run_tool(spawner_,
                                  {"perf", "script", "-i", directory_ + "/faults.data",
                                   "--no-inline", "-F", "pid,tid,addr,ip,sym,srcline,dso"},
                                  directory_ + "/faults.script", kScriptTime);
  if (absl::IsDeadlineExceeded(script.status())) {
    return absl::DeadlineExceededError("perf script did not end: ask for fewer requests");
  }
  return script;
}

}  // namespace hotlap::audit
