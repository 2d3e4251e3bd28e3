// See tracepoint_record.h.
#include "harness/audit/tracepoint_record.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/audit/tracepoint_script.h"
#include "harness/capture/tracefs.h"

namespace hotlap::audit {
namespace {

constexpr char kEvents[] = "raw_syscalls:sys_enter,raw_syscalls:sys_exit,signal:signal_deliver";

absl::Status explain(const absl::Status& failure) {
  const std::string message(failure.message());
  for (const char* refusal : {"ermission", "perf_event_paranoid", "not permitted"}) {
    if (!absl::StrContains(message, refusal)) continue;
    return absl::PermissionDeniedError(
        absl::StrCat("perf may not record tracepoints here: run as root or `sysctl -w "
                     "kernel.perf_event_paranoid=-1`; in a container, grant it CAP_PERFMON (docker "
                     "run --cap-add PERFMON); perf said: ",
                     message));
  }
  return failure;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TracepointRecord>> TracepointRecord::attach(
    targets::Spawner& spawner, pid_t task, const std::string& file) {
  absl::Status possible = profile::check_installed();
  if (!possible.ok()) return possible;
  capture::mount_tracefs_where_allowed();
  possible = capture::tracepoint_id("raw_syscalls:sys_enter").status();
  if (!possible.ok()) return possible;
  profile::RecordOptions options;
  options.processes = {task};
  options.events = {"--event", kEvents};
  options.call_graph.reset();
  options.file = file;
  auto perf = profile::PerfRecord::attach(spawner, options);
  if (!perf.ok()) return explain(perf.status());
  // The constructor is private.
  return std::unique_ptr<TracepointRecord>(
      new TracepointRecord(*std::move(perf), descriptors_of(task)));
}

absl::StatusOr<Trace> TracepointRecord::take_trace(uint16_t port) {
  perf_->stop();
  auto script = perf_->take_script(/*with_stacks=*/false, /*with_fields=*/true);
  if (!script.ok()) return script.status();
  return read_tracepoints(*script, port, inherited_);
}

}  // namespace hotlap::audit
