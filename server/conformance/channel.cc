#include "server/conformance/channel.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace hotlap::conformance {
namespace {

socklen_t address_of(const Endpoint& endpoint, sockaddr_storage& storage) {
  bool v6 = endpoint.host.find(':') != std::string::npos;
  storage = {};
  storage.ss_family = v6 ? AF_INET6 : AF_INET;
  auto* v4_address = reinterpret_cast<sockaddr_in*>(&storage);
  auto* v6_address = reinterpret_cast<sockaddr_in6*>(&storage);
  void* host = v6 ? static_cast<void*>(&v6_address->sin6_addr) : &v4_address->sin_addr;
  (v6 ? v6_address->sin6_port : v4_address->sin_port) = htons(endpoint.port);
  if (inet_pton(storage.ss_family, endpoint.host.c_str(), host) != 1) return 0;
  return v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  bool v6 = endpoint.host.find(':') != std::string::npos;
  return (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

ClientTls client_tls(const Endpoint& endpoint) {
  std::string error;
  tls::ClientSettings any_certificate;
  any_certificate.verify = false;
  return endpoint.tls ? tls::make_client_context(any_certificate, error) : nullptr;
}

Channel::Channel(const Endpoint& endpoint, ClientTls tls, int receive_buffer_bytes)
    : tls_(std::move(tls)) {
  sockaddr_storage address{};
  const socklen_t length = address_of(endpoint, address);
  if (length == 0) {
    error_ = "'" + endpoint.host + "' is no IP address";
    return;
  }
  fd_ = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) {
    error_ = std::string("cannot open a socket: ") + std::strerror(errno) +
             (errno == EMFILE ? " (`ulimit -n` allows too few descriptors)" : "");
    return;
  }
  int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (receive_buffer_bytes > 0) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  }
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), length) != 0 && errno != EINPROGRESS) {
    error_ = "cannot connect to " + to_string(endpoint) + ": " + std::strerror(errno);
  }
  if (tls_ != nullptr) ssl_ = tls::make_client(*tls_, endpoint.host, fd_);
  if (endpoint.tls && ssl_ == nullptr) error_ = "cannot set up TLS: " + tls::take_error();
}

Channel::Channel(Channel&& other) noexcept
    : tls_(std::move(other.tls_)),
      ssl_(std::move(other.ssl_)),
      fd_(std::exchange(other.fd_, -1)),
      error_(std::move(other.error_)) {}

Channel::~Channel() { close(); }

bool Channel::connected() const {
  int failed = 0;
  socklen_t length = sizeof failed;
  return getsockopt(fd_, SOL_SOCKET, SO_ERROR, &failed, &length) == 0 && failed == 0;
}

bool Channel::ready() const { return ssl_ == nullptr || SSL_is_init_finished(ssl_.get()) == 1; }

void Channel::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

ssize_t Channel::failure(int returned) {
  const int system_error = errno;
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      errno = EAGAIN;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    case SSL_ERROR_SYSCALL:
      errno = system_error;
      break;
    default:
      errno = EPROTO;
  }
  ERR_clear_error();
  return -1;
}

ssize_t Channel::send(std::string_view bytes) {
  if (ssl_ == nullptr) return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  size_t sent = 0;
  ERR_clear_error();
  const int done = bytes.empty() ? SSL_do_handshake(ssl_.get())
                                 : SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent);
  if (done == 1) return static_cast<ssize_t>(sent);
  const ssize_t failed = failure(done);
  if (failed == 0) errno = EPIPE;
  return -1;
}

ssize_t Channel::receive(char* bytes, size_t size) {
  if (ssl_ == nullptr) return ::recv(fd_, bytes, size, 0);
  size_t got = 0;
  ERR_clear_error();
  const int done = SSL_read_ex(ssl_.get(), bytes, size, &got);
  return done == 1 ? static_cast<ssize_t>(got) : failure(done);
}

void Channel::shut_sending() {
  if (ssl_ != nullptr) SSL_shutdown(ssl_.get());
  shutdown(fd_, SHUT_WR);
}

bool Channel::sends_after_reading() const { return ssl_ != nullptr && SSL_want_read(ssl_.get()); }

void Channel::reset_on_close() const {
  linger at_once{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace hotlap::conformance
