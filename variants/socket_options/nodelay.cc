// TCP_NODELAY on every accepted socket: a small reply leaves at once, whatever was acknowledged.
// Costs one syscall a connection.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "server/stages/socket_options.h"

namespace hotlap::variants {
namespace {

using namespace server;

void apply_accepted(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

extern constinit const SocketOptionsStage socket_options_nodelay = {
    .info = {.name = "nodelay",
             .summary = "TCP_NODELAY on accepted sockets",
             .costs = "1 syscall a connection"},
    .apply_accepted = apply_accepted,
};

}  // namespace hotlap::variants
