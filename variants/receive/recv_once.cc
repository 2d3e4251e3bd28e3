// One read an event, whatever it yields: a level-triggered wait reports what is left. Costs one
// syscall a request whose head fits into the space offered.
#include "server/stages/receive.h"
#include "server/stages/transport.h"

namespace hotlap::variants {
namespace {

using namespace server;

ReceiveStep step(void*, const TransportStage& transport, void* transport_state, int fd,
                 const iovec* segments, int count, bool) {
  return {transport.read(transport_state, fd, segments, count), false};
}

}  // namespace

extern constinit const ReceiveStage receive_recv_once = {
    .info = {.name = "recv_once",
             .summary = "one read an event, however much there is",
             .costs = "1 recv a request"},
    .step = step,
};

}  // namespace hotlap::variants
