// Waiting until a launched target accepts connections, and saying clearly why it does not. A
// target that announces itself is an event; a foreign command gives none but its end, so its
// sockets are looked at between short waits for that end.
#ifndef HOTLAP_HARNESS_TARGETS_READINESS_H_
#define HOTLAP_HARNESS_TARGETS_READINESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "harness/targets/companion.h"
#include "harness/targets/target_spec.h"
#include "harness/targets/watched_process.h"

namespace hotlap::targets {

struct Ready {
  Endpoint endpoint;
  std::string echo;  // of a pipeline
};

// What a readiness wait is about; `who` begins every message ("arm a, pipeline \"fast\"").
struct Awaited {
  TargetSpec spec;
  std::string who;
  std::string program;
  uint16_t port = 0;  // of a command
  absl::Duration timeout;
  absl::Time deadline;
};

// Until the target waits just before its exec; its host pid.
absl::StatusOr<pid_t> await_stopped(const Awaited& awaited, const WatchedProcess& process);

// Until it listens, having been told to go on.
absl::StatusOr<Ready> await_listening(const Awaited& awaited, const WatchedProcess& process);

// Lets a companion exec, and waits until it is at work.
absl::Status await_companion(const CompanionOptions& options, WatchedProcess& process);

// How a target ended, with the last lines of its output.
std::string describe_end(const WatchedProcess& process);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_READINESS_H_
