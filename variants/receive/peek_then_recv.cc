// Asks before each read whether the connection lives, as the streams of one scripting language do:
// a poll, and where that finds something a recv of one byte with MSG_PEEK; then the read; and so on
// until nothing is left. Costs five syscalls a request (poll, peek, recv, poll, recv) where one
// would do.
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "server/pipeline.h"
#include "variants/receive/bounded.h"

namespace hotlap::variants {
namespace {

using namespace server;

// An error is told once only: what the look came upon, the read would not see again.
bool broken(int fd) {
  pollfd readable{fd, POLLIN | POLLPRI, 0};
  if (poll(&readable, 1, 0) <= 0) return false;
  char byte;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno != EAGAIN &&
         errno != EWOULDBLOCK && errno != EINTR;
}

ReceiveStep step(void* state, const TransportStage& transport, void* transport_state, int fd,
                 const iovec* segments, int count, bool first) {
  if (broken(fd)) return {{IoStatus::kFailed}, false};
  return step_until_eagain(state, transport.read(transport_state, fd, segments, count), first);
}

const char* valid_with(const Pipeline& pipeline) {
  return pipeline.transport->direct
             ? nullptr
             : "it looks at the socket's own bytes, which are not those that this transport reads; "
               "use transport=plain";
}

}  // namespace

extern constinit const ReceiveStage receive_peek_then_recv = {
    .info = {.name = "peek_then_recv",
             .summary = "a poll and a 1-byte peek before each read, reads until nothing is left",
             .costs = "2 poll, 1 peek and 2 recv a request",
             .state_size = sizeof(BytesThisEvent),
             .state_align = alignof(BytesThisEvent),
             .valid_with = valid_with},
    .step = step,
};

}  // namespace hotlap::variants
