// The loop of a lane: wait for replies in batches, and look after time only when the timer fires.
#include "harness/load/lane.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace hotlap::load {
namespace {

constexpr int kBatch = 256;

}  // namespace

Lane::Lane(Arm& arm, int first, int stride, std::span<char> buffer, int end_fd,
           const std::atomic<Ending>& ending, Clock clock)
    : arm_(arm),
      buffer_(buffer),
      ending_(ending),
      clock_(clock),
      share_{first, stride, arm.spec.connections},
      connections_(static_cast<std::size_t>(share_.own())),
      memos_(arm.requests.size()),
      wires_(arm),
      next_number_(static_cast<std::uint64_t>(first)) {
  int number = first;
  for (Connection& connection : connections_) {
    connection.number = number;
    // They do not all begin with the same request.
    if (!arm_.turns.empty()) connection.turn = static_cast<std::size_t>(number) % arm_.turns.size();
    connection.flights.set_depth(static_cast<std::size_t>(arm.spec.pipeline));
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
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, end_fd, &event);
}

void Lane::drive(const Stint& stint) {
  if (!usable()) return;
  stint_ = stint;
  stop_ns_ = stint.stop_ns;
  drain_until_ns_ = INT64_MAX;
  steady_began_ns_ = 0;
  publish_at_ns_ = stint.publish_every_ns > 0 ? stint.start_ns + stint.publish_every_ns : INT64_MAX;
  pacer_.reset();
  if (stint.publish_every_ns > 0) forget_published();
  if (to_end()) stop_ns_ = 0;
  stint.open != nullptr ? begin_open() : begin_all();
  tend();
  flush_sends();
  std::array<epoll_event, kBatch> events;
  while (busy()) {
    bool time_to_tend = false;
    const int ready = wait(events, time_to_tend);
    for (int i = 0; i < ready; ++i) {
      void* const source = events[static_cast<std::size_t>(i)].data.ptr;
      if (source == nullptr || source == &timer_) {
        time_to_tend = true;
      } else {
        on_event(*static_cast<Connection*>(source), events[static_cast<std::size_t>(i)].events);
      }
    }
    // All replies of a batch are read before the next requests go out: sends that follow one
    // another find more of the kernel in the cache, and the server more requests at a time.
    start_ready();
    if (time_to_tend) tend();
    if (pacer_) dispatch();
    flush_sends();
  }
  if (stop_ns_ != 0) end_sending(clock_.now_ns());
  if (stint_.publish_every_ns > 0) publish(INT64_MAX);
}

bool Lane::busy() const {
  if (in_flight_ > 0) return true;
  if (stop_ns_ == 0) return false;
  return pacer_ || (stint_.revive && dead_ > 0);
}

// Until something is ready, the timer fires, or a planned start is due that a connection is free
// for.
int Lane::wait(std::span<epoll_event> events, bool& time_to_tend) {
  const bool paced = pacer_ && !free_.empty();
  const std::int64_t due_ns = paced ? pacer_->next_ns() : INT64_MAX;
  if (SimulatedTime* simulated = clock_.simulated(); simulated != nullptr) {
    const int ready = simulated->wait(epoll_.get(), events, std::min(due_ns, timer_at_ns_));
    time_to_tend = simulated->now_ns() >= timer_at_ns_;
    if (time_to_tend) timer_at_ns_ = INT64_MAX;
    return ready;
  }
  const int capacity = static_cast<int>(events.size());
  if (due_ns == INT64_MAX) return epoll_wait(epoll_.get(), events.data(), capacity, -1);
  const std::int64_t left_ns = std::max<std::int64_t>(due_ns - clock_.now_ns(), 0);
  const timespec timeout{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
  return epoll_pwait2(epoll_.get(), events.data(), capacity, &timeout, nullptr);
}

// One request on each connection, also when this thread comes so late that the time is over: a
// slice in which some connections never spoke would not be the load that was asked for.
void Lane::begin_all() {
  for (Connection& connection : connections_) {
    for (int slot = 0; slot < arm_.spec.pipeline; ++slot) {
      if (connection.health != Health::kSound || stop_ns_ == 0) break;
      const std::int64_t now = clock_.now_ns();
      if (totals_.first_send_ns == 0) totals_.first_send_ns = now;
      if (!in_budget(now)) break;
      ++totals_.counts.started;
      start_next(connection, now);
    }
  }
}

// In the closed loop the reply before it starts a request, at the very time of its end.
void Lane::start_ready() {
  for (const FreeSlot& slot : ready_) {
    // One that failed meanwhile begins anew when it is opened.
    if (slot.connection->health != Health::kSound || stop_ns_ == 0) continue;
    if (!in_budget(slot.since_ns)) continue;
    ++totals_.counts.started;
    start_next(*slot.connection, slot.since_ns);
  }
  ready_.clear();
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
        fail(connection, connect_outcome(error), clock_.now_ns(), connect_fault(error));
      } else if (connection.state != State::kConnecting && !connection.flights.empty()) {
        send_rest(connection);
      }
      return;
    case State::kSending:
      if ((events & EPOLLOUT) != 0) send_rest(connection);
      // With pipelining, replies come while later requests still wait to go out.
      if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) read_reply(connection, events);
      return;
    case State::kIdle:
      on_idle_event(connection);
      return;
    case State::kClosed:
      return;
  }
}

std::int64_t Lane::in_flight_ns(std::int64_t now) const {
  std::int64_t sum = 0;
  for (const Connection& connection : connections_) {
    for (std::size_t i = 0; i < connection.flights.size(); ++i) {
      sum += now - connection.flights[i].intended_ns;
    }
  }
  return sum;
}

void Lane::forget_published() {
  const std::lock_guard lock(publish_mutex_);
  published_ = {};
}

void Lane::publish(std::int64_t now) {
  const std::lock_guard lock(publish_mutex_);
  published_ = {totals_.counts, totals_.bytes_received, now};
  if (!handed_) handed_ = std::make_unique<Times>();
  if (handed_full_) return;
  std::swap(times_, *handed_);
  handed_full_ = true;
}

Lane::Published Lane::published() {
  const std::lock_guard lock(publish_mutex_);
  return published_;
}

void Lane::hand_over(Times& sum, Times& spare) {
  {
    const std::lock_guard lock(publish_mutex_);
    if (!handed_full_) return;
    std::swap(*handed_, spare);
    handed_full_ = false;
  }
  sum.merge(spare);
  spare.reset();
}

LaneTotals Lane::take_totals() { return std::exchange(totals_, LaneTotals{}); }

void Lane::take_times(Times& sum) {
  sum.merge(times_);
  times_.reset();
  if (!handed_full_) return;
  sum.merge(*handed_);
  handed_->reset();
  handed_full_ = false;
}

void Lane::take_latency(Histogram& sum) {
  sum.merge(times_.response);
  times_.response.reset();
}

void Lane::take_failure_latency(Histogram& sum) {
  sum.merge(times_.failures);
  times_.failures.reset();
}

std::string Lane::take_first_failure() { return std::exchange(first_failure_, std::string()); }

}  // namespace hotlap::load
