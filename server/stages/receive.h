// Stage `receive`: by which calls the bytes that a readiness event announced are taken.
// State: one a connection, zeroed at its start. One step is one attempt; the machine asks for
// space, steps, commits, and steps again while `again` is set.
#pragma once

#include "server/stages/io.h"
#include "server/stages/variant.h"

namespace hotlap::server {

struct TransportStage;

struct ReceiveStep {
  IoResult io;
  bool again;  // call step() once more before looking at the bytes
};

struct ReceiveStage {
  VariantInfo info;
  // `first` on the first step after an event. segments has at least one non-empty entry.
  ReceiveStep (*step)(void* state, const TransportStage& transport, void* transport_state, int fd,
                      const iovec* segments, int count, bool first);
};

}  // namespace hotlap::server
