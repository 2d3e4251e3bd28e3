// Runs once at start; the claim comes before anything is shared.
#include "server/core/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace hotlap::server {
namespace {

constexpr int kBacklog = 4096;
constexpr char kCongestion[] = "cubic";  // whatever the machine's default: the steadiest here

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

std::string errno_text() { return std::strerror(errno); }

std::string split_address(const std::string& address, std::string& host, std::string& port) {
  std::string form = "'" + address +
                     "' is no listening address: it must be HOST:PORT or [HOST]:PORT with a "
                     "port from 0 to 65535, such as 127.0.0.1:0 or [::1]:8080";
  const std::size_t colon = address.rfind(':');
  if (colon == address.npos) return form;
  host = address.substr(0, colon);
  port = address.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != host.npos) {
    return form;
  }
  unsigned number = 0;
  const char* const end = port.data() + port.size();
  const auto [stop, error] = std::from_chars(port.data(), end, number);
  if (host.empty() || error != std::errc() || stop != end || number > 65535) return form;
  if (host == "localhost") host = "127.0.0.1";
  return {};
}

std::string resolve(const std::string& address, Addresses& resolved) {
  std::string host;
  std::string port;
  if (std::string error = split_address(address, host, port); !error.empty()) return error;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* list = nullptr;
  if (const int failed = getaddrinfo(host.c_str(), port.c_str(), &hints, &list); failed != 0) {
    return "'" + host + "' is no numeric address (" + gai_strerror(failed) +
           "); use one such as 127.0.0.1 or [::1]";
  }
  resolved.reset(list);
  return {};
}

bool set_flag(int fd, int level, int name) {
  const int on = 1;
  return setsockopt(fd, level, name, &on, sizeof(on)) == 0;
}

// One socket bound to the address; `shared` joins the port of an earlier one.
std::string bind_one(const sockaddr* address, socklen_t size, int family, bool shared,
                     Listener& out) {
  Listener socket_(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket_.fd() < 0) return "cannot make a socket: " + errno_text();
  set_flag(socket_.fd(), SOL_SOCKET, SO_REUSEADDR);
  if (family == AF_INET6) set_flag(socket_.fd(), IPPROTO_IPV6, IPV6_V6ONLY);
  if (shared && !set_flag(socket_.fd(), SOL_SOCKET, SO_REUSEPORT)) {
    return "cannot share the port between pollers: " + errno_text();
  }
  setsockopt(socket_.fd(), IPPROTO_TCP, TCP_CONGESTION, kCongestion, sizeof(kCongestion) - 1);
  if (bind(socket_.fd(), address, size) != 0) return errno_text();
  if (listen(socket_.fd(), kBacklog) != 0) return errno_text();
  out = std::move(socket_);
  return {};
}

std::string bound_name(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof(host), port,
                  sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  const bool v6 = address.ss_family == AF_INET6;
  return (v6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

}  // namespace

Listener& Listener::operator=(Listener&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

void Listener::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int Listener::release() { return std::exchange(fd_, -1); }

std::string listen_on(const std::string& address, int count, std::vector<Listener>& listeners,
                      std::string& bound) {
  Addresses resolved;
  if (std::string error = resolve(address, resolved); !error.empty()) return error;
  Listener first;
  if (std::string error =
          bind_one(resolved->ai_addr, resolved->ai_addrlen, resolved->ai_family, false, first);
      !error.empty()) {
    return "cannot listen on " + address + ": " + error +
           "; choose another address, or port 0 for any free port";
  }
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  getsockname(first.fd(), reinterpret_cast<sockaddr*>(&name), &size);
  bound = bound_name(name, size);
  // Only now that the claim holds does the first socket let others in.
  if (count > 1 && !set_flag(first.fd(), SOL_SOCKET, SO_REUSEPORT)) {
    return "cannot share " + bound + " between pollers: " + errno_text();
  }
  listeners.clear();
  listeners.push_back(std::move(first));
  for (int i = 1; i < count; ++i) {
    Listener next;
    if (std::string error = bind_one(reinterpret_cast<const sockaddr*>(&name), size,
                                     resolved->ai_family, true, next);
        !error.empty()) {
      return "cannot open listener " + std::to_string(i + 1) + " on " + bound + ": " + error;
    }
    listeners.push_back(std::move(next));
  }
  return {};
}

}  // namespace hotlap::server
