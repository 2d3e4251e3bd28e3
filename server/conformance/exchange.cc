#include "server/conformance/exchange.h"

#include <poll.h>

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

// Closing leaves no TIME_WAIT behind: tens of thousands are opened.
Channel open_channel(const Endpoint& endpoint, const ClientTls& tls) {
  Channel channel(endpoint, tls);
  channel.reset_on_close();
  return channel;
}

class Connection {
 public:
  Connection(const Endpoint& endpoint, const ClientTls& tls, const Script& script, Outcome& outcome)
      : channel_(open_channel(endpoint, tls)), script_(script), outcome_(outcome) {
    if (channel_.error().empty()) return;
    outcome_.unsent = channel_.fd() < 0;
    fail(channel_.error());
  }

  int fd() const { return channel_.fd(); }
  bool done() const { return done_; }
  size_t pieces_sent() const { return piece_; }
  bool wants_write(size_t allowed) const {
    return !done_ && !cannot_send_ && (has_piece(allowed) || !rest_of_probe_.empty());
  }
  // Whether it is worth waiting until more can be written.
  bool awaits_room(size_t allowed) const {
    return wants_write(allowed) && !channel_.sends_after_reading();
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
      ssize_t sent = channel_.send(bytes);
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
      ssize_t got = channel_.receive(buffer.data(), buffer.size());
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
      if (got < 0 && errno == EPROTO) fail("TLS was broken off, not ended");
      outcome_.closed = got == 0 && !outcome_.reset;
      outcome_.reset |= got < 0;
      done_ = true;
    }
    return true;
  }

 private:
  bool has_piece(size_t allowed) const { return piece_ < std::min(allowed, script_.pieces.size()); }

  void sent_all() {
    if (script_.half_close) channel_.shut_sending();
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

  Channel channel_;
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
      : endpoint_(endpoint), tls_(client_tls(endpoint)), limits_(limits) {}

  // False where it stalled.
  bool run(std::span<const Script> scripts, std::span<Outcome> outcomes) {
    connections_.clear();
    size_t phases = 1;
    for (size_t i = 0; i < scripts.size(); ++i) {
      connections_.push_back(
          std::make_unique<Connection>(endpoint_, tls_, scripts[i], outcomes[i]));
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
            {connection->fd(),
             static_cast<short>(POLLIN | (connection->awaits_room(allowed) ? POLLOUT : 0)), 0});
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
    if (!barrier_) barrier_ = std::make_unique<Channel>(open_channel(endpoint_, tls_));
    if (!answers(*barrier_)) barrier_.reset();
  }

  bool answers(Channel& channel) const {
    std::array<char, 1024> reply;
    std::string_view rest = kBarrier;
    const Clock::time_point until = Clock::now() + limits_.stall;
    while (channel.error().empty()) {
      if (!rest.empty()) {
        const ssize_t sent = channel.send(rest);
        if (sent < 0 && errno != EAGAIN) return false;
        if (sent > 0) rest.remove_prefix(static_cast<size_t>(sent));
      }
      const ssize_t got = channel.receive(reply.data(), reply.size());
      if (got > 0) return true;
      if (got == 0 || errno != EAGAIN) return false;
      const bool writes = !rest.empty() && !channel.sends_after_reading();
      pollfd ready{channel.fd(), static_cast<short>(POLLIN | (writes ? POLLOUT : 0)), 0};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
    }
    return false;
  }

  const Endpoint& endpoint_;
  ClientTls tls_;
  ExchangeLimits limits_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<pollfd> polled_;
  std::vector<Connection*> polled_connections_;
  std::unique_ptr<Channel> barrier_;
};

}  // namespace

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
