// Opening a connection without waiting for it. On loopback connect() usually returns connected.
#include "harness/load/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>

namespace hotlap::load {

Dialled dial(const Endpoint& endpoint) {
  Dialled dialled;
  dialled.socket = Fd(::socket(endpoint.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!dialled.socket.valid()) {
    dialled.error = errno;
    return dialled;
  }
  const int fd = dialled.socket.get();
  if (endpoint.family() != AF_UNIX) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
  }
  if (::connect(fd, endpoint.address(), endpoint.address_length()) == 0) {
    dialled.connected = true;
  } else if (errno != EINPROGRESS) {
    dialled.error = errno;
    dialled.socket.reset();
  }
  return dialled;
}

}  // namespace hotlap::load
