// Whoever sees a target's system calls: strace, or where it is absent or may not attach, the
// kernel's tracepoints by perf, which see registers and no memory.
#ifndef HOTLAP_HARNESS_AUDIT_TRACER_H_
#define HOTLAP_HARNESS_AUDIT_TRACER_H_

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/audit/strace.h"
#include "harness/audit/trace.h"
#include "harness/audit/tracepoint_record.h"
#include "harness/targets/spawner.h"

namespace hotlap::audit {

enum class TracerKind { kStrace, kTracepoints };
const char* tracer_name(TracerKind kind);  // "strace", "tracepoints"

// Of a name; nothing of an empty one. INVALID_ARGUMENT of any other.
absl::StatusOr<std::optional<TracerKind>> tracer_of(const std::string& name);

struct ChosenTracer {
  TracerKind kind = TracerKind::kStrace;
  std::string no_strace;  // why it is not strace, where that was tried
};

// The ladder: strace first; where that is NOT_FOUND or PERMISSION_DENIED, tracepoints; where these
// fail too, FAILED_PRECONDITION with what both said. `forced` is attached alone.
absl::StatusOr<ChosenTracer> choose_tracer(std::optional<TracerKind> forced,
                                           const std::function<absl::Status(TracerKind)>& attach);

class Tracer {
 public:
  // For LaunchOptions::before_exec, with LaunchOptions::traceable set: returns once every call of
  // `task`, and of all that it will start, is traced. Writes files that begin with `file`.
  static absl::StatusOr<std::unique_ptr<Tracer>> attach(targets::Spawner& spawner, pid_t task,
                                                        const std::string& file,
                                                        std::optional<TracerKind> forced);

  TracerKind kind() const { return chosen_.kind; }
  clockid_t clock() const;  // of its times

  // What a reader of the trace must know of how it was made.
  std::vector<std::string> notes() const;

  // The whole trace of a target that listened on `port`. Call it when the target has ended.
  absl::StatusOr<Trace> take_trace(uint16_t port);

 private:
  ChosenTracer chosen_;
  std::unique_ptr<Strace> strace_;  // one of the two
  std::unique_ptr<TracepointRecord> tracepoints_;
};

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_TRACER_H_
