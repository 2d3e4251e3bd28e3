// Stage `readiness`: waits until descriptors can be read or written. State: one a poller.
// A registration lasts: no call is needed a request unless kOnce was asked for.
#pragma once

#include "server/stages/variant.h"

namespace hotlap::server {

enum Interest : std::uint32_t {
  kInterestNone = 0,
  kReadable = 1u << 0,
  kWritable = 1u << 1,
  kOnce = 1u << 2,  // report one event, then nothing until change()
};

struct ReadyEvent {
  void* token;
  std::uint32_t ready;  // kReadable and kWritable; both after an error or hang-up
};

struct ReadinessStage {
  VariantInfo info;
  bool concurrent_change;  // change() may be called from other threads than the waiting one
  bool (*open)(void* state);
  void (*close)(void* state);
  // False when it cannot take the descriptor (its limit is reached): the caller refuses and counts.
  bool (*watch)(void* state, int fd, void* token, std::uint32_t interest);
  bool (*change)(void* state, int fd, void* token, std::uint32_t interest);
  void (*forget)(void* state, int fd);  // call before closing fd
  // How many events it stored, 0 on time-out or interruption. timeout_ms < 0 waits for ever.
  int (*wait)(void* state, ReadyEvent* events, int capacity, int timeout_ms);
};

}  // namespace hotlap::server
