// A trace divided into the phases of a target's life, and each request's window described, counted
// and folded.
//
// A call belongs to the window in which it was entered. Where every request was sent while all
// threads of the target slept (Marks::quiet), nothing of one request can fall into the next one's
// window, and the wait that the next request ends is the last call of a window. Idle calls: what a
// stretch without load shows a second is expected of every other stretch too. Where windows are
// quiet, it can explain only what a window has beyond the course that most windows take.
#ifndef HOTLAP_HARNESS_AUDIT_PHASES_H_
#define HOTLAP_HARNESS_AUDIT_PHASES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/audit/trace.h"
#include "harness/proto/audit.pb.h"

namespace hotlap::audit {

// Edges on the clock of the trace, in ascending order.
struct Marks {
  uint16_t port = 0;                 // that the target listens on
  int64_t connect_ns = 0;            // start-up ends, the connection begins
  std::vector<int64_t> requests_ns;  // each request begins
  // One request more, which is not counted: it ends the wait in which the last one leaves the
  // target, as every other wait is ended by a request.
  int64_t closing_ns = 0;
  int64_t idle_begin_ns = 0;
  int64_t idle_end_ns = 0;  // shutdown begins
  int64_t end_ns = 0;
  bool quiet = true;
};

// How many different courses of a phase are kept.
inline constexpr size_t kCourses = 4;

// Fills phases, boundary, processes, threads and notes; arm, asked, pipeline and requests are left
// to the caller. An error when the trace does not hold the target's beginning, or nothing at all in
// a request's window: then the tracer lost it, and every count would be wrong.
absl::StatusOr<hotlap::v1::ArmAudit> divide(const Trace& trace, const Marks& marks);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_PHASES_H_
