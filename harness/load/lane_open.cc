// The open loop of a lane: planned starts meet free connections.
#include <sys/prctl.h>

#include <algorithm>

#include "harness/load/lane.h"

namespace hotlap::load {

void Lane::begin_open() {
  if (connections_.empty() || stop_ns_ == 0) return;
  // Waits for the next start are cut to 50 us by default.
  prctl(PR_SET_TIMERSLACK, 1UL);
  pacer_.emplace(*stint_.open, share_, stint_.start_ns, stint_.stop_ns, stint_.budget);
  const auto depth = static_cast<std::size_t>(arm_.spec.pipeline);
  free_.reset(connections_.size() * depth);
  for (std::size_t slot = 0; slot < depth; ++slot) {
    for (Connection& connection : connections_) free_.push({&connection, stint_.start_ns});
  }
  dispatch();
}

// Sends what is due and finds a free connection; keeps or gives up the rest.
void Lane::dispatch() {
  if (stop_ns_ == 0) return;
  totals_.counts.started += pacer_->admit(clock_.now_ns());
  while (pacer_->waiting() > 0 && !free_.empty()) {
    if (wait_is_over(free_.front().since_ns)) continue;
    const FreeSlot slot = free_.pop();
    Connection& connection = *slot.connection;
    const std::int64_t now = clock_.now_ns();
    if (connection.health != Health::kSound) {
      if (now < connection.revive_ns) {
        ++connection.parked;
        continue;
      }
      dead_ -= connection.health == Health::kDead ? 1 : 0;
      connection.health = Health::kSound;
      ++totals_.reopened;
    }
    if (totals_.first_send_ns == 0) totals_.first_send_ns = now;
    const std::int64_t intended_ns = pacer_->first_ns();
    if (now - intended_ns > kLateNs) ++totals_.counts.late;
    const auto number = static_cast<std::uint64_t>(pacer_->first_number());
    pacer_->sent(now, slot.since_ns);
    start(connection, intended_ns, now, number);
  }
  totals_.counts[Outcome::kNeverSent] += pacer_->give_up_beyond_bound();
  if (pacer_->finished()) end_sending(clock_.now_ns());
}

// A start whose time came while every connection was busy waits only as long as the queue has room
// for it and those behind it.
bool Lane::wait_is_over(std::int64_t free_ns) {
  if (free_ns <= pacer_->first_ns() || !pacer_->overfull()) return false;
  pacer_->give_up();
  ++totals_.counts[Outcome::kNeverSent];
  return true;
}

void Lane::end_open() { totals_.counts[Outcome::kNeverSent] += pacer_->end(); }

// A connection that failed may be used again: its slots return to the pool, and the next request
// opens it.
void Lane::release(Connection& connection, std::int64_t now) {
  for (; connection.parked > 0; --connection.parked) free_.push({&connection, now});
}

}  // namespace hotlap::load
