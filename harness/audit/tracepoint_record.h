// perf at work on every system call of one target, by the kernel's tracepoints: attached while the
// target waits before its exec, ended when the target has. A call costs the target some
// microseconds then. It dies with the Spawner, as targets do.
#ifndef HOTLAP_HARNESS_AUDIT_TRACEPOINT_RECORD_H_
#define HOTLAP_HARNESS_AUDIT_TRACEPOINT_RECORD_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "harness/audit/descriptor_tables.h"
#include "harness/audit/trace.h"
#include "harness/profile/perf_record.h"
#include "harness/targets/spawner.h"

namespace hotlap::audit {

class TracepointRecord {
 public:
  // Returns once every call of `task`, and of all that it will start, is recorded into `file` at
  // times of CLOCK_MONOTONIC (tracepoints take no other that the load could read). For
  // LaunchOptions::before_exec. NOT_FOUND: there is no perf; FAILED_PRECONDITION and
  // PERMISSION_DENIED: there are no tracepoints here; all with the remedy.
  static absl::StatusOr<std::unique_ptr<TracepointRecord>> attach(targets::Spawner& spawner,
                                                                  pid_t task,
                                                                  const std::string& file);

  // The whole trace of a target that listened on `port`. Call it when the target has ended.
  absl::StatusOr<Trace> take_trace(uint16_t port);

 private:
  TracepointRecord(std::unique_ptr<profile::PerfRecord> perf, Descriptors inherited)
      : perf_(std::move(perf)), inherited_(std::move(inherited)) {}

  std::unique_ptr<profile::PerfRecord> perf_;
  Descriptors inherited_;
};

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_TRACEPOINT_RECORD_H_
