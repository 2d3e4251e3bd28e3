#include "server/conformance/exchange.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "server/conformance/reply.h"

namespace hotlap::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kProbe =
    "GET /ping HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n";
constexpr std::string_view kBarrier = "GET /ping HTTP/1.1\r\nHost: barrier\r\n\r\n";

// A non-blocking socket that leaves no TIME_WAIT behind: tens of thousands are opened.
class Socket {
 public:
  explicit Socket(const Endpoint& endpoint) {
    bool v6 = endpoint.host.find(':') != std::string::npos;
    sockaddr_storage storage{};
    storage.ss_family = v6 ? AF_INET6 : AF_INET;
    auto* v4_address = reinterpret_cast<sockaddr_in*>(&storage);
    auto* v6_address = reinterpret_cast<sockaddr_in6*>(&storage);
    void* host = v6 ? static_cast<void*>(&v6_address->sin6_addr) : &v4_address->sin_addr;
    (v6 ? v6_address->sin6_port : v4_address->sin_port) = htons(endpoint.port);
    if (inet_pton(storage.ss_family, endpoint.host.c_str(), host) != 1) {
      error_ = "'" + endpoint.host + "' is no IP address";
      return;
    }
    fd_ = socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) {
      error_ = std::string("cannot open a socket: ") + std::strerror(errno) +
               (errno == EMFILE ? " (`ulimit -n` allows too few descriptors)" : "");
      return;
    }
    int on = 1;
    linger at_once{1, 0};
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socklen_t length = v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&storage), length) != 0 && errno != EINPROGRESS) {
      error_ = "cannot connect to " + to_string(endpoint) + ": " + std::strerror(errno);
    }
  }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }
  const std::string& error() const { return error_; }

 private:
  int fd_ = -1;
  std::string error_;
};

class Connection {
 public:
  Connection(const Endpoint& endpoint, const Script& script, Outcome& outcome)
      : socket_(endpoint), script_(script), outcome_(outcome) {
    if (socket_.error().empty()) return;
    outcome_.unsent = socket_.fd() < 0;
    fail(socket_.error());
  }

  int fd() const { return socket_.fd(); }
  bool done() const { return done_; }
  size_t pieces_sent() const { return piece_; }
  bool wants_write(size_t allowed) const {
    return !done_ && !cannot_send_ && (has_piece(allowed) || !rest_of_probe_.empty());
  }
  void fail(std::string error) {
    outcome_.error = std::move(error);
    done_ = true;
  }

  // True where something moved.
  bool send_more(size_t allowed) {
    bool moved = false;
    while (wants_write(allowed)) {
      bool probing = !has_piece(allowed);
      std::string_view bytes = probing ? rest_of_probe_ : script_.pieces[piece_].substr(offset_);
      ssize_t sent = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) {
        if (errno == EAGAIN || errno == EINTR || errno == ENOTCONN) return moved;
        cannot_send_ = true;  // closed or reset: what it has to say is still read
        if (errno == ECONNREFUSED) fail("cannot connect: " + std::string(std::strerror(errno)));
        // Reported once only, so the read to come would look like an orderly end.
        if (errno == ECONNRESET) outcome_.reset = true;
        return true;
      }
      moved = true;
      if (probing) {
        rest_of_probe_.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      offset_ += static_cast<size_t>(sent);
      if (offset_ < script_.pieces[piece_].size()) continue;
      offset_ = 0;
      if (++piece_ == script_.pieces.size()) sent_all();
    }
    return moved;
  }

  bool read_more() {
    static thread_local std::array<char, 65536> buffer;
    bool moved = false;
    while (!done_) {
      ssize_t got = ::recv(fd(), buffer.data(), buffer.size(), 0);
      if (got > 0) {
        outcome_.received.append(buffer.data(), static_cast<size_t>(got));
        moved = true;
        consider();
        continue;
      }
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return moved;
      if (got < 0 && outcome_.received.empty() && errno != ECONNRESET) {
        fail("cannot connect: " + std::string(std::strerror(errno)));
        return true;
      }
      outcome_.closed = got == 0 && !outcome_.reset;
      outcome_.reset |= got < 0;
      done_ = true;
    }
    return true;
  }

 private:
  bool has_piece(size_t allowed) const { return piece_ < std::min(allowed, script_.pieces.size()); }

  void sent_all() {
    if (script_.half_close) shutdown(fd(), SHUT_WR);
    consider();
  }

  // Once everything is sent and answered: the probe, or the end.
  void consider() {
    if (probed_ || piece_ < script_.pieces.size() || script_.half_close) return;
    if (counted_ < script_.replies) {
      CutReplies cut = cut_replies(std::string_view(outcome_.received).substr(cut_bytes_),
                                   heads_from(counted_), false);
      counted_ += cut.replies.size();
      cut_bytes_ += cut.consumed;
    }
    if (counted_ < script_.replies) return;
    probed_ = true;
    if (script_.probe) {
      rest_of_probe_ = kProbe;
      send_more(script_.pieces.size());
    } else if (!script_.read_to_close) {
      done_ = true;
    }
  }

  std::vector<bool> heads_from(size_t first) const {
    if (first >= script_.heads.size()) return {};
    return {script_.heads.begin() + static_cast<ptrdiff_t>(first), script_.heads.end()};
  }

  Socket socket_;
  const Script& script_;
  Outcome& outcome_;
  size_t piece_ = 0, offset_ = 0;
  size_t counted_ = 0, cut_bytes_ = 0;  // replies recognised so far, and their bytes
  std::string_view rest_of_probe_;
  bool probed_ = false, cannot_send_ = false, done_ = false;
};

class Batch {
 public:
  Batch(const Endpoint& endpoint, const ExchangeLimits& limits)
      : endpoint_(endpoint), limits_(limits) {}

  // False where it stalled.
  bool run(std::span<const Script> scripts, std::span<Outcome> outcomes) {
    connections_.clear();
    size_t phases = 1;
    for (size_t i = 0; i < scripts.size(); ++i) {
      connections_.push_back(std::make_unique<Connection>(endpoint_, scripts[i], outcomes[i]));
      phases = std::max(phases, scripts[i].pieces.size());
    }
    for (size_t phase = 1; phase <= phases; ++phase) {
      if (!advance(phase, /*to_end=*/false)) return false;
      if (phase < phases) barrier();
    }
    return advance(phases, /*to_end=*/true);
  }

 private:
  // Sends pieces up to `allowed`; to_end: until every connection is done. False when stalled.
  bool advance(size_t allowed, bool to_end) {
    Clock::time_point last_progress = Clock::now();
    for (;;) {
      polled_.clear();
      polled_connections_.clear();
      bool sending = false;
      for (auto& connection : connections_) {
        if (connection->done()) continue;
        connection->send_more(allowed);
        bool writes = connection->wants_write(allowed);
        sending |= writes;
        if (connection->done()) continue;
        polled_.push_back(
            {connection->fd(), static_cast<short>(POLLIN | (writes ? POLLOUT : 0)), 0});
        polled_connections_.push_back(connection.get());
      }
      if (polled_.empty() || (!to_end && !sending)) return true;
      auto waited =
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - last_progress);
      auto left = limits_.stall - waited;
      if (left.count() <= 0) return stalled();
      int ready = poll(polled_.data(), polled_.size(), static_cast<int>(left.count()));
      if (ready < 0 && errno != EINTR) return stalled();
      bool moved = false;
      for (size_t i = 0; ready > 0 && i < polled_.size(); ++i) {
        if (polled_[i].revents == 0) continue;
        if (polled_[i].revents & POLLOUT) moved |= polled_connections_[i]->send_more(allowed);
        if (polled_[i].revents & ~POLLOUT) moved |= polled_connections_[i]->read_more();
      }
      if (moved) last_progress = Clock::now();
    }
  }

  bool stalled() {
    for (auto& connection : connections_) {
      if (!connection->done()) {
        connection->fail("no progress within " + std::to_string(limits_.stall.count()) + " ms");
      }
    }
    return false;
  }

  // A failure here only makes splits less sure, and the next exchange tells what is wrong.
  void barrier() {
    if (!barrier_) barrier_ = std::make_unique<Socket>(endpoint_);
    pollfd ready{barrier_->fd(), POLLOUT, 0};
    std::array<char, 1024> reply;
    int stall_ms = static_cast<int>(limits_.stall.count());
    bool answered = poll(&ready, 1, stall_ms) > 0 &&
                    ::send(ready.fd, kBarrier.data(), kBarrier.size(), MSG_NOSIGNAL) > 0;
    ready.events = POLLIN;
    answered = answered && poll(&ready, 1, stall_ms) > 0 &&
               ::recv(ready.fd, reply.data(), reply.size(), 0) > 0;
    if (!answered) barrier_.reset();
  }

  const Endpoint& endpoint_;
  ExchangeLimits limits_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<pollfd> polled_;
  std::vector<Connection*> polled_connections_;
  std::unique_ptr<Socket> barrier_;
};

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  bool v6 = endpoint.host.find(':') != std::string::npos;
  return (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::vector<Outcome> run_exchange(const Endpoint& endpoint, std::span<const Script> scripts,
                                  const ExchangeLimits& limits) {
  std::vector<Outcome> outcomes(scripts.size());
  Batch batch(endpoint, limits);
  int stalls = 0;
  for (size_t first = 0; first < scripts.size(); first += limits.connections) {
    size_t count = std::min(limits.connections, scripts.size() - first);
    auto batch_outcomes = std::span(outcomes).subspan(first, count);
    if (stalls > limits.max_stalls) {
      for (Outcome& outcome : batch_outcomes) outcome.error = "not tried: stalled too often before";
    } else if (!batch.run(scripts.subspan(first, count), batch_outcomes)) {
      ++stalls;
    }
  }
  return outcomes;
}

std::vector<std::string_view> cut_at(std::string_view bytes, std::span<const size_t> points) {
  std::vector<std::string_view> pieces;
  size_t from = 0;
  for (size_t point : points) {
    pieces.push_back(bytes.substr(from, point - from));
    from = point;
  }
  pieces.push_back(bytes.substr(from));
  return pieces;
}

}  // namespace hotlap::conformance
