#include "server/conformance/peer.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "server/conformance/reply.h"

namespace hotlap::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSendMs = 5000;

}  // namespace

const std::string_view kPing = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";

Peer::Peer(const Endpoint& endpoint, int receive_buffer_bytes)
    : channel_(endpoint, client_tls(endpoint), receive_buffer_bytes) {
  connected_ = channel_.error().empty() && await(POLLOUT, kSendMs) && channel_.connected();
  if (connected_ && endpoint.tls) connected_ = send("");
}

void Peer::close() { channel_.close(); }

bool Peer::await(short events, int timeout_ms) const {
  pollfd ready{channel_.fd(), events, 0};
  return poll(&ready, 1, timeout_ms) > 0;
}

bool Peer::send(std::string_view bytes) {
  do {
    const ssize_t sent = channel_.send(bytes);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno != EINTR &&
               (errno != EAGAIN ||
                !await(channel_.sends_after_reading() ? POLLIN : POLLOUT, kSendMs))) {
      return false;
    }
  } while (!bytes.empty() || !channel_.ready());
  return true;
}

bool Peer::send_urgent(char byte) {
  return ::send(channel_.fd(), &byte, 1, MSG_NOSIGNAL | MSG_OOB) == 1;
}

void Peer::end_sending() { channel_.shut_sending(); }

size_t Peer::send_some(std::string_view bytes) {
  const ssize_t sent = channel_.send(bytes);
  return sent < 0 ? 0 : static_cast<size_t>(sent);
}

bool Peer::receive(int timeout_ms) {
  std::array<char, 16384> chunk;
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (!ended_) {
    const ssize_t got = channel_.receive(chunk.data(), chunk.size());
    if (got > 0) {
      buffer_.append(chunk.data(), static_cast<size_t>(got));
      return true;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || errno != EAGAIN) {
      ended_ = true;
      was_reset_ = got < 0;
      return false;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0 || !await(POLLIN, static_cast<int>(left.count()))) return false;
  }
  return false;
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
  return buffer_.empty() && !receive(timeout_ms) && !ended_;
}

void Peer::reset() {
  channel_.reset_on_close();
  close();
}

}  // namespace hotlap::conformance
