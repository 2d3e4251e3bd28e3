#include "server/reference/listener.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hotlap::reference {
namespace {

constexpr char kCongestion[] = "cubic";  // as the lab's own: a default of BBR is noisy on loopback

}  // namespace

Fd listen_on(Flags& flags, const char* program) {
  bool v6 = flags.host.find(':') != std::string::npos;
  sockaddr_storage storage{};
  auto* v4_address = reinterpret_cast<sockaddr_in*>(&storage);
  auto* v6_address = reinterpret_cast<sockaddr_in6*>(&storage);
  storage.ss_family = v6 ? AF_INET6 : AF_INET;
  void* host = v6 ? static_cast<void*>(&v6_address->sin6_addr) : &v4_address->sin_addr;
  (v6 ? v6_address->sin6_port : v4_address->sin_port) = htons(flags.port);
  if (inet_pton(storage.ss_family, flags.host.c_str(), host) != 1) {
    std::fprintf(stderr, "%s: '%s' is no IP address; --listen wants one\n", program,
                 flags.host.c_str());
    return Fd();
  }
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  socklen_t length = v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  Fd fd(socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd.get(), IPPROTO_TCP, TCP_CONGESTION, kCongestion, sizeof kCongestion - 1);
  if (fd.get() < 0 || bind(fd.get(), address, length) != 0 || listen(fd.get(), kBacklog) != 0) {
    std::fprintf(stderr, "%s: cannot listen on %s: %s; choose another port, or 0\n", program,
                 printable_address(flags.host, flags.port).c_str(), std::strerror(errno));
    return Fd();
  }
  getsockname(fd.get(), address, &length);
  flags.port = ntohs(v6 ? v6_address->sin6_port : v4_address->sin_port);
  return fd;
}

}  // namespace hotlap::reference
