// The tokens of a poller's own descriptors are the addresses of the members that hold them, so that
// no connection can have the same.
#include "server/core/poller.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hotlap::server {
namespace {

constexpr int kAcceptsAnEvent = 64;

}  // namespace

Poller::Poller(Service& service, Listener& listener, bool pooled)
    : service_(service),
      listener_(listener),
      pooled_(pooled),
      state_(service.pipeline().readiness->info),
      admission_(service, listener),
      connections_(service) {}

Poller::~Poller() {
  connections_.clear();
  if (opened_) readiness().close(state_.get());
  if (wake_fd_ >= 0) close(wake_fd_);
}

std::string Poller::open() {
  if (!readiness().open(state_.get())) {
    return std::string("cannot open readiness=") + readiness().info.name + ": " +
           std::strerror(errno);
  }
  opened_ = true;
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const auto watch = [this](int fd, void* token) {
    return readiness().watch(state_.get(), fd, token, kReadable | kUntilTaken);
  };
  if (std::string error = admission_.open(); !error.empty()) return error;
  if (wake_fd_ < 0 || !watch(wake_fd_, &wake_fd_) || !watch(listener_.fd(), &listener_) ||
      !watch(service_.stop_fd(), &stop_asked_) ||
      (service_.foreign_stop_fd() >= 0 && !watch(service_.foreign_stop_fd(), &stop_asked_))) {
    return std::string("cannot watch the listening socket: ") + std::strerror(errno);
  }
  return {};
}

bool Poller::wait(std::vector<Ready>& ready, std::int64_t& now_ms) {
  ready.clear();
  if (stopping_ && connections_.empty()) return false;  // the last was settled after the last wait
  const bool timed = stopping_ || accepts_later_ || !connections_.empty();
  const int count =
      readiness().wait(state_.get(), events_, kBatch, timed ? service_.sweep_ms() : -1);
  now_ms = now_ms_ = coarse_now_ms();
  // Before the events: a peer that sends a byte now and then must not hide from its deadline.
  if (now_ms_ >= next_sweep_ms_) sweep(ready);
  for (int i = 0; i < count; ++i) take_event(events_[i], ready);
  if (pooled_) reap();
  if (stop_asked_ && !stopping_) begin_stop(ready);
  if (!stopping_ || !ready.empty()) return true;
  return !connections_.empty() && now_ms_ < stop_by_ms_;
}

void Poller::take_event(const ReadyEvent& event, std::vector<Ready>& ready) {
  if (event.token == &listener_) {
    accept_some();
  } else if (event.token == &wake_fd_) {
    std::uint64_t count;
    [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof(count));
  } else if (event.token == &stop_asked_) {
    stop_asked_ = true;
  } else {
    auto* const connection = static_cast<Connection*>(event.token);
    if (claim(*connection)) {
      ready.push_back({connection, event.ready});
    } else if (!pooled_) {
      // Taken in this turn for another reason; an edge is not reported by itself again.
      if (readiness().edge) connection->custody.store(Connection::kMissed);
    } else {
      // It was armed a moment before it was given back: the worker serves it once more.
      std::uint8_t expected = Connection::kServed;
      if (!connection->custody.compare_exchange_strong(expected, Connection::kMissed) &&
          expected == Connection::kParked && claim(*connection)) {
        ready.push_back({connection, event.ready});
      }
    }
  }
}

// A connection is handed out once at a time: to one thread in a pool, once in a turn without.
bool Poller::claim(Connection& connection) {
  auto& custody = connection.custody;
  if (!pooled_) {
    if (custody.load(std::memory_order_relaxed) != Connection::kParked) return false;
    custody.store(Connection::kServed, std::memory_order_relaxed);
    return true;
  }
  std::uint8_t expected = Connection::kParked;
  return custody.compare_exchange_strong(expected, Connection::kServed, std::memory_order_acquire);
}

void Poller::accept_some() {
  for (int i = 0; i < kAcceptsAnEvent && !stopping_; ++i) {
    int fd = -1;
    switch (admission_.accept(SOCK_NONBLOCK, fd)) {
      case Admission::Accepted::kOne:
        take_connection(fd);
        break;
      case Admission::Accepted::kStuck:
        return accept_later();
      default:
        return;
    }
  }
}

// No descriptor is to be had, not even to turn one away: with the next sweep, so that a listener
// that stays ready does not spin.
void Poller::accept_later() {
  accepts_later_ = true;
  readiness().change(state_.get(), listener_.fd(), &listener_, kInterestNone);
}

void Poller::take_connection(int fd) {
  ConnectionPtr connection = admission_.admit(fd, now_ms_);
  if (connection == nullptr) return;
  if (!readiness().watch(state_.get(), fd, connection.get(), armed(kReadable))) {
    return admission_.turn_away(fd);
  }
  connection->interest = kReadable;
  connections_.add(std::move(connection));
}

void Poller::settle(Connection& connection, std::uint32_t wait_for) {
  if (wait_for == kInterestNone) return remove(connection);
  const bool missed = connection.custody.load(std::memory_order_relaxed) == Connection::kMissed;
  connection.custody.store(Connection::kParked, std::memory_order_relaxed);
  if (wait_for == connection.interest && !missed) return;
  connection.interest = wait_for & ~kAskAgain;
  if (!readiness().change(state_.get(), connection.fd(), &connection, connection.interest)) {
    remove(connection);
  }
}

// Armed while still in custody, so that its descriptor cannot be closed and reused under the call.
bool Poller::give_back(Connection& connection, std::uint32_t wait_for) {
  if (wait_for != kInterestNone &&
      readiness().change(state_.get(), connection.fd(), &connection, armed(wait_for))) {
    std::uint8_t expected = Connection::kServed;
    if (connection.custody.compare_exchange_strong(expected, Connection::kParked,
                                                   std::memory_order_acq_rel)) {
      return true;
    }
    connection.custody.store(Connection::kServed, std::memory_order_relaxed);
    return false;
  }
  {
    const std::lock_guard<std::mutex> lock(returned_mutex_);
    returned_.push_back(&connection);
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(wake_fd_, &one, sizeof(one));
  return true;
}

void Poller::reap() {
  std::vector<Connection*> returned;
  {
    const std::lock_guard<std::mutex> lock(returned_mutex_);
    returned.swap(returned_);
  }
  for (Connection* connection : returned) remove(*connection);
}

void Poller::remove(Connection& connection) {
  readiness().forget(state_.get(), connection.fd());
  connections_.remove(connection);
}

void Poller::sweep(std::vector<Ready>& ready) {
  next_sweep_ms_ = now_ms_ + service_.sweep_ms();
  if (accepts_later_ && !stopping_) {
    accepts_later_ = false;
    readiness().change(state_.get(), listener_.fd(), &listener_, kReadable | kUntilTaken);
  }
  for (const ConnectionPtr& connection : connections_) {
    if (!claim(*connection)) continue;
    if (connection->deadline_ms() <= now_ms_) {
      ready.push_back({connection.get(), kInterestNone});
    } else if (stopping_) {
      ready.push_back({connection.get(), kReadable});
    } else {
      park(*connection);
    }
  }
}

// Undoes a claim by this thread, which alone takes events: none can have been missed.
void Poller::park(Connection& connection) {
  connection.custody.store(Connection::kParked, std::memory_order_release);
}

// Every connection not being served is driven once more: what has arrived is answered, what is idle
// closes.
void Poller::begin_stop(std::vector<Ready>& ready) {
  accept_some();
  stopping_ = true;
  stop_by_ms_ = now_ms_ + service_.limits().drain_timeout_ms;
  service_.start_draining();
  readiness().forget(state_.get(), listener_.fd());
  listener_.close();
  readiness().change(state_.get(), service_.stop_fd(), &stop_asked_, kInterestNone);
  if (service_.foreign_stop_fd() >= 0) {
    readiness().change(state_.get(), service_.foreign_stop_fd(), &stop_asked_, kInterestNone);
  }
  for (const ConnectionPtr& connection : connections_) {
    if (claim(*connection)) ready.push_back({connection.get(), kReadable});
  }
}

}  // namespace hotlap::server
