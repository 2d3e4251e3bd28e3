// Reads until there is nothing left, as servers over edge-triggered events do: one call more a
// request than needed, which fails. Bytes are looked at only then, or after 256 KiB.
#include "server/stages/transport.h"
#include "variants/receive/bounded.h"

namespace hotlap::variants {
namespace {

using namespace server;

ReceiveStep step(void* state, const TransportStage& transport, void* transport_state, int fd,
                 const iovec* segments, int count, bool first) {
  return step_until_eagain(state, transport.read(transport_state, fd, segments, count), first);
}

}  // namespace

extern constinit const ReceiveStage receive_recv_until_eagain = {
    .info = {.name = "recv_until_eagain",
             .summary = "reads until nothing is left, then looks at the bytes",
             .costs = "2 recv a request, of which one finds nothing",
             .state_size = sizeof(BytesThisEvent),
             .state_align = alignof(BytesThisEvent)},
    .step = step,
};

}  // namespace hotlap::variants
