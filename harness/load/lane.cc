// The loop of a lane: wait for replies in batches, and look after time only when the timer fires.
#include "harness/load/lane.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "harness/load/clock.h"

namespace hotlap::load {
namespace {

constexpr int kBatch = 256;
constexpr std::int64_t kCancelDrainNs = 100'000'000;

}  // namespace

Lane::Lane(Arm& arm, int first, int stride, std::span<char> buffer, int cancel_fd,
           const std::atomic<bool>& cancelled)
    : arm_(arm), buffer_(buffer), cancelled_(cancelled), memos_(arm.requests.size()) {
  const int asked = arm.spec.connections;
  connections_ = std::vector<Connection>(
      first < asked ? static_cast<std::size_t>((asked - first + stride - 1) / stride) : 0);
  int number = first;
  for (Connection& connection : connections_) {
    connection.number = number;
    number += stride;
  }
  epoll_ = Fd(epoll_create1(EPOLL_CLOEXEC));
  timer_ = Fd(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!usable()) {
    open_error_ = errno;
    return;
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &timer_;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event);
  // Edge-triggered: it wakes each lane once and then lets its drain sleep.
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, cancel_fd, &event);
}

void Lane::drive(const Stint& stint) {
  if (!usable()) return;
  stint_ = stint;
  stop_ns_ = stint.stop_ns;
  drain_until_ns_ = INT64_MAX;
  steady_began_ns_ = 0;
  publish_at_ns_ = stint.publish_every_ns > 0 ? monotonic_ns() : INT64_MAX;
  begin_all();
  tend();
  std::array<epoll_event, kBatch> events;
  while (in_flight_ > 0 || (stint_.revive && dead_ > 0 && stop_ns_ != 0)) {
    const int ready = epoll_wait(epoll_.get(), events.data(), kBatch, -1);
    bool time_to_tend = false;
    for (int i = 0; i < ready; ++i) {
      void* const source = events[i].data.ptr;
      if (source == nullptr || source == &timer_) {
        time_to_tend = true;
      } else {
        on_event(*static_cast<Connection*>(source), events[i].events);
      }
    }
    // All replies of a batch are read before the next requests go out: sends that follow one
    // another find more of the kernel in the cache, and the server more requests at a time.
    for (Connection* connection : ready_) start(*connection, connection->start_ns);
    ready_.clear();
    if (time_to_tend) tend();
  }
  if (stop_ns_ != 0) end_sending(monotonic_ns());
  publish();
}

// One request on each connection, also when this thread comes so late that the time is over: a
// slice in which some connections never spoke would not be the load that was asked for.
void Lane::begin_all() {
  if (cancelled_.load(std::memory_order_relaxed)) stop_ns_ = 0;
  for (Connection& connection : connections_) {
    if (connection.health != Health::kSound || stop_ns_ == 0) continue;
    const std::int64_t now = monotonic_ns();
    if (totals_.first_send_ns == 0) totals_.first_send_ns = now;
    if (in_budget(now)) start(connection, now);
  }
}

bool Lane::in_budget(std::int64_t now) {
  if (stint_.budget == nullptr) return true;
  if (stint_.budget->fetch_sub(1, std::memory_order_relaxed) > 0) return true;
  end_sending(now);
  return false;
}

void Lane::on_event(Connection& connection, std::uint32_t events) {
  switch (connection.state) {
    case State::kAwaiting:
      read_reply(connection, events);
      return;
    case State::kConnecting:
      if (const int error = connected(connection); error != 0) {
        fail(connection, Outcome::kConnect, monotonic_ns(), std::strerror(error));
      } else if (connection.requested) {
        send_rest(connection);
      }
      return;
    case State::kSending:
      if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
        read_reply(connection, events);
      } else {
        send_rest(connection);
      }
      return;
    case State::kIdle:
      on_idle_event(connection);
      return;
    case State::kClosed:
      return;
  }
}

// Everything that depends on time but not on a reply. Sets the timer for the next occasion.
void Lane::tend() {
  std::uint64_t expirations = 0;
  if (::read(timer_.get(), &expirations, sizeof expirations) > 0) timer_at_ns_ = INT64_MAX;
  const std::int64_t now = monotonic_ns();
  if (cancelled_.load(std::memory_order_relaxed) && drain_until_ns_ > now + kCancelDrainNs) {
    if (stop_ns_ != 0) end_sending(now);
    drain_until_ns_ = now + kCancelDrainNs;
  }
  if (steady_began_ns_ == 0 && now >= stint_.steady_from_ns && stop_ns_ != 0) {
    steady_began_ns_ = now;
    steady_base_ns_ = totals_.response_ns + in_flight_ns(now);
  }
  if (stop_ns_ != 0 && now >= stop_ns_) end_sending(now);
  if (now >= publish_at_ns_) {
    publish();
    publish_at_ns_ = now + stint_.publish_every_ns;
  }
  std::int64_t next = publish_at_ns_;
  for (Connection& connection : connections_) {
    if (connection.requested) {
      const std::int64_t deadline_ns = connection.start_ns + arm_.spec.timeout_ns;
      if (now >= deadline_ns) {
        fail(connection, Outcome::kTimeout, now, "no whole reply within the time-out");
      } else {
        next = std::min(next, deadline_ns);
      }
    }
    if (stint_.revive && connection.health != Health::kSound && stop_ns_ != 0) {
      if (now >= connection.revive_ns && may_start(now)) {
        dead_ -= connection.health == Health::kDead ? 1 : 0;
        connection.health = Health::kSound;
        ++totals_.reopened;
        start(connection, now);
      }
      if (connection.health == Health::kDead) next = std::min(next, connection.revive_ns);
      if (connection.requested) next = std::min(next, now + arm_.spec.timeout_ns);
    }
  }
  if (now >= drain_until_ns_) give_up_in_flight(now);
  if (stop_ns_ != 0 && stint_.steady_from_ns != INT64_MAX) {
    next = std::min(next, steady_began_ns_ == 0 ? stint_.steady_from_ns : stop_ns_);
  }
  if (stop_ns_ != 0 && stint_.drain_ns != INT64_MAX) next = std::min(next, stop_ns_);
  next = std::min({next, drain_until_ns_, now + arm_.spec.timeout_ns});
  if (in_flight_ > 0 || stint_.revive) set_timer(next);
}

std::int64_t Lane::in_flight_ns(std::int64_t now) const {
  std::int64_t sum = 0;
  for (const Connection& connection : connections_) {
    if (connection.requested) sum += now - connection.start_ns;
  }
  return sum;
}

void Lane::end_sending(std::int64_t now) {
  stop_ns_ = 0;
  totals_.stopped_ns = now;
  if (stint_.drain_ns < INT64_MAX) drain_until_ns_ = now + stint_.drain_ns;
  if (steady_began_ns_ != 0) {
    totals_.steady_in_flight_ns += totals_.response_ns + in_flight_ns(now) - steady_base_ns_;
    totals_.steady_capacity_ns +=
        (now - steady_began_ns_) * static_cast<std::int64_t>(connections_.size());
  }
  // The drain's end must wake the loop even when no reply ever comes.
  if (drain_until_ns_ < timer_at_ns_) set_timer(drain_until_ns_);
}

void Lane::give_up_in_flight(std::int64_t now) {
  for (Connection& connection : connections_) {
    if (!connection.requested) continue;
    settle(connection, Outcome::kInFlight, now);
    drop(connection, Health::kLapsed);
  }
}

void Lane::set_timer(std::int64_t at_ns) {
  if (at_ns == timer_at_ns_ || at_ns == INT64_MAX) return;
  timer_at_ns_ = at_ns;
  itimerspec when{};
  at_ns = std::max<std::int64_t>(at_ns, 1);  // zero would disarm it
  when.it_value.tv_sec = at_ns / 1'000'000'000;
  when.it_value.tv_nsec = at_ns % 1'000'000'000;
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void Lane::publish() {
  const std::lock_guard lock(publish_mutex_);
  published_ = {totals_.counts, totals_.bytes_received};
}

Lane::Published Lane::published() {
  const std::lock_guard lock(publish_mutex_);
  return published_;
}

LaneTotals Lane::take_totals() { return std::exchange(totals_, LaneTotals{}); }

void Lane::take_latency(Histogram& sum) {
  sum.merge(latency_);
  latency_.reset();
}

void Lane::take_failure_latency(Histogram& sum) {
  sum.merge(failures_);
  failures_.reset();
}

std::string Lane::take_first_failure() { return std::exchange(first_failure_, std::string()); }

}  // namespace hotlap::load
