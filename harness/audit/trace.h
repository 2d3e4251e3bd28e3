// What strace wrote (-f -o FILE, absolute timestamps in nanoseconds) as a list of calls. Calls that
// strace had to split, because another thread made one meanwhile, are joined again. Linear in the
// text; keeps no reference to it.
#ifndef HOTLAP_HARNESS_AUDIT_TRACE_H_
#define HOTLAP_HARNESS_AUDIT_TRACE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hotlap::audit {

enum class EventKind {
  kCall,
  kSignal,  // delivered; `name` is SIGTERM and the like
  kExit,    // of a thread
};

struct TracedEvent {
  EventKind kind = EventKind::kCall;
  pid_t task = 0;        // thread id, as the tracer numbers it
  int64_t begin_ns = 0;  // at the entry of the call, on the tracer's clock
  std::string name;      // "recvfrom"
  std::string arguments;
  std::string result;  // "78", "-1 EAGAIN (…)"; "?" for a call that never returned
};

struct Trace {
  std::vector<TracedEvent> events;  // in the order of their begin
  int64_t unread_lines = 0;         // lines that are none of strace's known forms
};

Trace read_trace(std::string_view text);

// A tid that strace translated for us: the last number of "12 /* 3456 in strace's PID NS */", or
// the plain number; 0 where the result is no thread.
pid_t created_task(std::string_view result);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_TRACE_H_
