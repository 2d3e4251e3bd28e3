// Opening and closing a lane's connections, and what may happen on one while nothing is asked.
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "harness/load/lane.h"

namespace hotlap::load {

void Lane::watch(Connection& connection, int operation, bool writable) {
  connection.wants_write = writable;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | (writable ? EPOLLOUT : 0U);
  event.data.ptr = &connection;
  epoll_ctl(epoll_.get(), operation, connection.socket.get(), &event);
}

// Begins to connect; the errno of a failure (EPROTO of TLS), else 0.
int Lane::connect(Connection& connection) {
  connection.connect_ns = clock_.now_ns();
  Dialled dialled = dial(arm_.spec.endpoint);
  if (dialled.error != 0) return dialled.error;
  connection.socket = std::move(dialled.socket);
  connection.state = State::kConnecting;
  connection.partial = false;
  if (arm_.per_connection) {
    connection.own = std::make_unique<OwnReplies>(arm_.requests.size());
  }
  if (arm_.tls != nullptr) begin_tls(connection);
  watch(connection, EPOLL_CTL_ADD, !dialled.connected);
  if (!dialled.connected) return 0;
  if (arm_.tls != nullptr) return shake_hands(connection);
  ready_to_send(connection);
  return 0;
}

void Lane::ready_to_send(Connection& connection) {
  connection.state = State::kIdle;
  times_.connecting.record(clock_.now_ns() - connection.connect_ns);
}

// What a connect under way came to; the errno of a failure, else 0. A handshake may go on then.
int Lane::connected(Connection& connection) {
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(connection.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return error;
  if (connection.tls != nullptr) return shake_hands(connection);
  ready_to_send(connection);
  watch(connection, EPOLL_CTL_MOD, false);
  return 0;
}

void Lane::drop(Connection& connection, Health health) {
  end_tls(connection);
  connection.socket.reset();
  connection.state = State::kClosed;
  connection.partial = false;
  connection.unsent = 0;
  connection.cut_off = false;
  if (health == Health::kDead && connection.health != Health::kDead) ++dead_;
  connection.health = health;
}

int Lane::open() {
  if (!usable()) return 0;
  open_error_ = 0;
  dead_ = 0;
  for (Connection& connection : connections_) {
    connection.health = Health::kSound;
    if (connection.state != State::kClosed) continue;
    if (const int error = connect(connection); error != 0) {
      if (open_error_ == 0) open_error_ = error;
      drop(connection, Health::kDead);
    }
  }
  await_connects();
  return static_cast<int>(std::count_if(connections_.begin(), connections_.end(),
                                        [](auto& c) { return c.state == State::kIdle; }));
}

void Lane::close() {
  for (Connection& connection : connections_) drop(connection, Health::kSound);
  dead_ = 0;
}

// Waits for connects under way; those that fail or take longer than the time-out end up dead.
void Lane::await_connects() {
  const std::int64_t until_ns = clock_.now_ns() + arm_.spec.connect_timeout_ns;
  auto under_way = std::count_if(connections_.begin(), connections_.end(),
                                 [](auto& c) { return c.state == State::kConnecting; });
  std::array<epoll_event, 64> events;
  while (under_way > 0 && !to_end()) {
    const std::int64_t left_ns = until_ns - clock_.now_ns();
    if (left_ns <= 0) break;
    const int wait_ms = static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000));
    const int ready = epoll_wait(epoll_.get(), events.data(), events.size(), wait_ms);
    for (int i = 0; i < ready; ++i) {
      void* const source = events[i].data.ptr;
      if (source == nullptr) continue;
      if (source == &timer_) {
        std::uint64_t expirations = 0;
        if (::read(timer_.get(), &expirations, sizeof expirations) > 0) timer_at_ns_ = INT64_MAX;
        continue;
      }
      auto& connection = *static_cast<Connection*>(source);
      if (connection.state == State::kIdle) on_idle_event(connection);
      if (connection.state != State::kConnecting) continue;
      const int error = connected(connection);
      if (error == 0 && connection.state == State::kConnecting) continue;
      --under_way;
      if (error != 0) {
        if (open_error_ == 0) open_error_ = error;
        drop(connection, Health::kDead);
      }
    }
  }
  for (Connection& connection : connections_) {
    if (connection.state != State::kConnecting) continue;
    if (open_error_ == 0) open_error_ = ETIMEDOUT;
    drop(connection, Health::kDead);
  }
}

void Lane::prepare() {
  if (!usable()) return;
  probe(0);
  std::vector<Connection*> reopened;
  for (Connection& connection : connections_) {
    if (connection.health == Health::kSound) continue;
    if (connection.health == Health::kDead) --dead_;
    connection.health = Health::kSound;
    reopened.push_back(&connection);
    if (!arm_.spec.keep_alive) continue;  // its next request connects
    if (const int error = connect(connection); error != 0) {
      open_error_ = error;
      drop(connection, Health::kDead);
    }
  }
  if (reopened.empty()) return;
  open_error_ = 0;
  const std::int64_t began_ns = clock_.now_ns();
  await_connects();
  for (Connection* connection : reopened) {
    if (connection->health == Health::kSound) {
      ++totals_.reopened;
      continue;
    }
    // A connection that cannot be had is a request that could not be made.
    ++totals_.counts.started;
    ++totals_.counts[connect_outcome(open_error_)];
    times_.failures.record(clock_.now_ns() - began_ns);
    note_failure(*connection, connect_fault(open_error_));
  }
}

void Lane::probe(int wait_ms) {
  std::array<epoll_event, 64> events;
  int ready = 0;
  do {
    ready = epoll_wait(epoll_.get(), events.data(), events.size(), wait_ms);
    bool progress = false;
    for (int i = 0; i < ready; ++i) {
      void* const source = events[i].data.ptr;
      if (source == nullptr || source == &timer_) continue;
      auto& connection = *static_cast<Connection*>(source);
      if (connection.state != State::kIdle) continue;
      on_idle_event(connection);
      progress = true;
    }
    if (!progress) return;
    wait_ms = 0;
  } while (ready == static_cast<int>(events.size()));
}

// Bytes that nobody asked for are entered as a request of their own that failed, so that the
// classes still sum to `started`. A connection that ends while nothing is asked is no failure.
void Lane::on_idle_event(Connection& connection) {
  const ssize_t size = receive(connection);
  if (size < 0 && errno == EAGAIN) return;
  if (size > 0) {
    totals_.bytes_received += size;
    ++totals_.counts.started;
    ++totals_.counts[Outcome::kProtocol];
    times_.failures.record(0);
    note_failure(connection, "bytes of a reply that nobody asked for");
    drop(connection, Health::kDead);
    return;
  }
  drop(connection, arm_.spec.keep_alive ? Health::kLapsed : Health::kSound);
}

}  // namespace hotlap::load
