// What a Spawner and hotlap-launch say to each other over one SOCK_SEQPACKET pair. The launcher's
// end is descriptor 3. The Spawner ends a target by shutting its end down: that happens by itself
// when the process that owns it dies, however it dies.
#ifndef HOTLAP_HARNESS_TARGETS_LAUNCH_PROTOCOL_H_
#define HOTLAP_HARNESS_TARGETS_LAUNCH_PROTOCOL_H_

#include <cstdint>

namespace hotlap::targets {

inline constexpr int kControlFd = 3;

enum class LaunchMessageKind : int32_t {
  kReady = 1,        // from the target, before its exec; its host pid comes as SCM_CREDENTIALS
  kGo = 2,           // to the target: exec
  kExecFailed = 3,   // value: errno
  kSetupFailed = 4,  // value: errno; `step` says of what
  kRootEnded = 5,    // value: wait status of the target's root
};

enum class LaunchStep : int32_t {
  kNone = 0,
  kAffinity = 1,
  kFork = 2,
  kNamespace = 3,
  kParentDeathSignal = 4,
};

struct LaunchMessage {
  LaunchMessageKind kind;
  int32_t value;
  LaunchStep step;
};

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_LAUNCH_PROTOCOL_H_
