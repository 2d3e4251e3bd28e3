// Stage `readiness`: waits until descriptors can be read or written. State: one a poller.
// A registration lasts: no call is needed a request unless kOnce was asked for.
#pragma once

#include "server/stages/variant.h"

namespace hotlap::server {

enum Interest : std::uint32_t {
  kInterestNone = 0,
  kReadable = 1u << 0,
  kWritable = 1u << 1,
  kOnce = 1u << 2,        // report one event, then nothing until change()
  kUntilTaken = 1u << 3,  // report it for as long as it holds, from an `edge` variant too
};

inline constexpr std::uint32_t kPeerEnded = 1u << 4;

struct ReadyEvent {
  void* token;
  // kReadable and kWritable, both after an error or hang-up. An `edge` variant adds kPeerEnded when
  // the peer's end has arrived too, which a read that took the last bytes does not show.
  std::uint32_t ready;
};

struct ReadinessStage {
  VariantInfo info;
  // An arrival is reported once. What is left of it then is reported after the next change().
  bool edge;
  bool (*open)(void* state);
  void (*close)(void* state);
  // False when it cannot take the descriptor (its limit is reached): the caller refuses and counts.
  bool (*watch)(void* state, int fd, void* token, std::uint32_t interest);
  // From any thread, also while another waits. Reports at once what is already so.
  bool (*change)(void* state, int fd, void* token, std::uint32_t interest);
  void (*forget)(void* state, int fd);  // call before closing fd
  // How many events it stored, 0 on time-out or interruption. timeout_ms < 0 waits for ever.
  int (*wait)(void* state, ReadyEvent* events, int capacity, int timeout_ms);
};

}  // namespace hotlap::server
