#include "server/conformance/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "server/conformance/reply.h"

namespace hotlap::conformance {

const std::string_view kPing = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";

Peer::Peer(const Endpoint& endpoint, int receive_buffer_bytes) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr);
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer_bytes > 0) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  }
  int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close();
  }
}

Peer::Peer(Peer&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      ended_(other.ended_),
      was_reset_(other.was_reset_) {}

Peer::~Peer() { close(); }

void Peer::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bool Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool Peer::send_urgent(char byte) { return ::send(fd_, &byte, 1, MSG_NOSIGNAL | MSG_OOB) == 1; }

void Peer::end_sending() { shutdown(fd_, SHUT_WR); }

size_t Peer::send_some(std::string_view bytes) {
  ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent < 0 ? 0 : static_cast<size_t>(sent);
}

bool Peer::receive(int timeout_ms) {
  std::array<char, 16384> chunk;
  pollfd readable{fd_, POLLIN, 0};
  if (ended_ || poll(&readable, 1, timeout_ms) <= 0) return false;
  ssize_t got = recv(fd_, chunk.data(), chunk.size(), 0);
  ended_ = got <= 0;
  was_reset_ = got < 0;
  if (got > 0) buffer_.append(chunk.data(), static_cast<size_t>(got));
  return got > 0;
}

std::string Peer::read(size_t bytes, int timeout_ms) {
  while (buffer_.size() < bytes && receive(timeout_ms)) {
  }
  std::string out = buffer_.substr(0, bytes);
  buffer_.erase(0, out.size());
  return out;
}

std::string Peer::read_to_end(int timeout_ms) {
  while (receive(timeout_ms)) {
  }
  return std::exchange(buffer_, "");
}

std::string Peer::ask(std::string_view request, int timeout_ms) {
  if (!send(request)) return "";
  do {
    CutReplies cut = cut_replies(buffer_, {}, ended_);
    if (cut.replies.empty()) continue;
    size_t length = cut.replies[0].head.size() + cut.replies[0].body.size();
    std::string out = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return out;
  } while (receive(timeout_ms));
  return std::exchange(buffer_, "");
}

bool Peer::stays_silent(int timeout_ms) {
  pollfd readable{fd_, POLLIN, 0};
  return buffer_.empty() && poll(&readable, 1, timeout_ms) == 0;
}

void Peer::reset() {
  linger at_once{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

}  // namespace hotlap::conformance
