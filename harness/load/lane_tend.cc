// What a lane does when time has come rather than a reply: time-outs, connections to open anew, the
// ends of sending and of the drain, and the timer that says when to look again.
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "harness/load/lane.h"

namespace hotlap::load {
namespace {

constexpr std::int64_t kCancelDrainNs = 100'000'000;
constexpr std::int64_t kStopDrainNs = 1'000'000'000;

}  // namespace

// Everything that depends on time but not on a reply. Sets the timer for the next occasion.
void Lane::tend() {
  std::uint64_t expirations = 0;
  if (::read(timer_.get(), &expirations, sizeof expirations) > 0) timer_at_ns_ = INT64_MAX;
  const std::int64_t now = clock_.now_ns();
  const Ending ending = ending_.load(std::memory_order_relaxed);
  if (ending != Ending::kNone && stop_ns_ != 0) end_sending(now);
  if (ending != Ending::kNone) {
    const std::int64_t patience_ns = ending == Ending::kCancel ? kCancelDrainNs : kStopDrainNs;
    drain_until_ns_ = std::min(drain_until_ns_, now + patience_ns);
  }
  if (steady_began_ns_ == 0 && now >= stint_.steady_from_ns && stop_ns_ != 0) {
    steady_began_ns_ = now;
    steady_base_ns_ = totals_.response_ns + in_flight_ns(now);
  }
  if (stop_ns_ != 0 && now >= stop_ns_) {
    if (pacer_) dispatch();  // what was due before the end
    if (stop_ns_ != 0) end_sending(now);
  }
  if (now >= publish_at_ns_) {
    publish(now);
    while (publish_at_ns_ <= now) publish_at_ns_ += stint_.publish_every_ns;
  }
  for (Connection& connection : connections_) {
    if (!connection.flights.empty()) expire(connection, now);
    if (connection.health != Health::kSound) revive(connection, now);
  }
  if (now >= drain_until_ns_) give_up_in_flight(now);
  if (in_flight_ > 0 || stint_.revive) set_timer(next_occasion(now));
}

// What its oldest request waits for.
Wait Lane::waits_for(const Connection& connection) const {
  if (connection.state == State::kConnecting) return Wait::kConnection;
  return connection.partial ? Wait::kWholeReply : Wait::kFirstByte;
}

// Until when that one may; later ones have had less time.
std::int64_t Lane::deadline_ns(const Connection& connection) const {
  const std::int64_t limits_ns[] = {arm_.spec.connect_timeout_ns, arm_.spec.first_byte_timeout_ns,
                                    arm_.spec.timeout_ns};
  return connection.flights.front().sent_ns +
         limits_ns[static_cast<std::size_t>(waits_for(connection))];
}

// Fails what is on the connection once its oldest request has had its time.
bool Lane::expire(Connection& connection, std::int64_t now) {
  if (now < deadline_ns(connection)) return false;
  constexpr const char* kWhy[] = {"no connection within the time-out",
                                  "no byte of a reply within the time-out",
                                  "no whole reply within the time-out"};
  const Wait wait = waits_for(connection);
  ++totals_.counts.timeout(wait);
  // Of the others not a byte has come.
  totals_.counts.timeout(wait == Wait::kWholeReply ? Wait::kFirstByte : wait) +=
      static_cast<std::int64_t>(connection.flights.size()) - 1;
  fail(connection, Outcome::kTimeout, now, kWhy[static_cast<std::size_t>(wait)]);
  return true;
}

// A load that goes on opens a failed connection anew, as part of its next request's time.
void Lane::revive(Connection& connection, std::int64_t now) {
  if (!stint_.revive || stop_ns_ == 0 || now < connection.revive_ns) return;
  if (pacer_) return release(connection, now);
  for (int slot = 0; slot < arm_.spec.pipeline && now < stop_ns_ && in_budget(now); ++slot) {
    if (slot == 0) {
      dead_ -= connection.health == Health::kDead ? 1 : 0;
      connection.health = Health::kSound;
      ++totals_.reopened;
    } else if (connection.health != Health::kSound) {
      return;
    }
    ++totals_.counts.started;
    start_next(connection, now);
  }
}

std::int64_t Lane::next_occasion(std::int64_t now) const {
  const ArmSpec& spec = arm_.spec;
  // No request that starts later, or waits for something else by then, can be due earlier.
  const std::int64_t shortest_ns = std::min(spec.connect_timeout_ns, spec.first_byte_timeout_ns);
  std::int64_t next = std::min({publish_at_ns_, drain_until_ns_, now + shortest_ns});
  for (const Connection& connection : connections_) {
    if (!connection.flights.empty()) {
      next = std::min(next, deadline_ns(connection));
      // Once it is connected, or the reply under way is whole, a first byte may be due sooner.
      const std::size_t then = connection.partial ? 1 : 0;
      if (then < connection.flights.size()) {
        const std::int64_t due_ns = connection.flights[then].sent_ns + spec.first_byte_timeout_ns;
        if (due_ns > now) next = std::min(next, due_ns);
      }
    }
    const bool waits = connection.health == Health::kDead && (!pacer_ || connection.parked > 0);
    if (waits && stint_.revive && stop_ns_ != 0) {
      next = std::min(next, connection.revive_ns);
    }
  }
  if (stop_ns_ == 0) return next;
  if (stint_.steady_from_ns != INT64_MAX) {
    next = std::min(next, steady_began_ns_ == 0 ? stint_.steady_from_ns : stop_ns_);
  }
  return stint_.drain_ns != INT64_MAX ? std::min(next, stop_ns_) : next;
}

void Lane::end_sending(std::int64_t now) {
  if (pacer_) end_open();
  stop_ns_ = 0;
  totals_.stopped_ns = now;
  if (stint_.drain_ns < INT64_MAX) drain_until_ns_ = now + stint_.drain_ns;
  if (steady_began_ns_ != 0) {
    totals_.steady_in_flight_ns += totals_.response_ns + in_flight_ns(now) - steady_base_ns_;
    totals_.steady_capacity_ns += (now - steady_began_ns_) *
                                  static_cast<std::int64_t>(connections_.size()) *
                                  arm_.spec.pipeline;
  }
  // The drain's end must wake the loop even when no reply ever comes.
  if (drain_until_ns_ < timer_at_ns_) set_timer(drain_until_ns_);
}

void Lane::give_up_in_flight(std::int64_t now) {
  for (Connection& connection : connections_) {
    if (connection.flights.empty()) continue;
    while (!connection.flights.empty()) settle(connection, Outcome::kInFlight, now);
    drop(connection, Health::kLapsed);
  }
}

void Lane::set_timer(std::int64_t at_ns) {
  if (at_ns == timer_at_ns_ || at_ns == INT64_MAX) return;
  timer_at_ns_ = at_ns;
  if (clock_.simulated() != nullptr) return;
  itimerspec when{};
  at_ns = std::max<std::int64_t>(at_ns, 1);  // zero would disarm it
  when.it_value.tv_sec = at_ns / 1'000'000'000;
  when.it_value.tv_nsec = at_ns % 1'000'000'000;
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace hotlap::load
