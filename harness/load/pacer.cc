// The queue of due starts, and the tallies of how the plan was kept.
#include "harness/load/pacer.h"

#include <algorithm>
#include <cmath>

namespace hotlap::load {

void Pacing::add(const Pacing& other) {
  lateness.merge(other.lateness);
  worst_gap_ns = std::max(worst_gap_ns, other.worst_gap_ns);
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] += other.gaps[i];
}

std::int64_t Pacing::gap_count() const {
  std::int64_t count = 0;
  for (const std::int64_t gap : gaps) count += gap;
  return count;
}

std::optional<double> Pacing::gap_distance() const {
  const std::int64_t count = gap_count();
  if (count == 0) return std::nullopt;
  double worst = 0;
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    seen += gaps[i];
    const double share = static_cast<double>(seen) / static_cast<double>(count);
    worst = std::max(worst, std::fabs(share - static_cast<double>(i + 1) / kGapBins));
  }
  return worst;
}

Pacer::Pacer(const OpenLoop& loop, const Share& share, std::int64_t start_ns, std::int64_t stop_ns,
             std::atomic<std::int64_t>* budget)
    : oldest_(loop.arrivals, share),
      due_(oldest_),
      start_ns_(start_ns),
      stop_ns_(stop_ns),
      budget_(budget) {
  const double part = static_cast<double>(share.own()) / static_cast<double>(share.connections);
  most_waiting_ =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(loop.most_waiting) * part));
  if (loop.arrivals.kind == Arrivals::Kind::kPoisson) {
    mean_gap_ns_ = 1e9 / (loop.arrivals.rate_per_s * part);
  }
  find_next();
}

void Pacer::find_next() {
  const std::int64_t at_ns = start_ns_ + due_.at_ns();
  next_due_ns_ = at_ns < stop_ns_ ? at_ns : INT64_MAX;
}

std::int64_t Pacer::admit(std::int64_t now) {
  std::int64_t admitted = 0;
  while (next_due_ns_ <= now && next_due_ns_ != INT64_MAX) {
    const std::int64_t left =
        budget_ == nullptr ? INT64_MAX : budget_->fetch_sub(1, std::memory_order_relaxed);
    admitted += left > 0 ? 1 : 0;
    if (left <= 1) {  // nothing is waited for that would not be sent
      next_due_ns_ = INT64_MAX;
      budget_spent_ = true;
      break;
    }
    due_.advance();
    find_next();
  }
  waiting_ += admitted;
  return admitted;
}

std::int64_t Pacer::lateness_ns(std::int64_t planned_ns, std::int64_t now, std::int64_t free_ns) {
  const std::int64_t able_ns = std::max(planned_ns, free_ns);
  const bool fresh = planned_ns >= away_until_ns_;
  // While starts of one absence still wait, another concerns only the one that it kept.
  if (now - able_ns > kLateNs && (fresh || able_ns < away_until_ns_)) {
    if (fresh) away_from_ns_ = able_ns;
    away_until_ns_ = now;
  }
  return std::max(now - able_ns, away_until_ns_ - std::max(planned_ns, away_from_ns_));
}

void Pacer::sent(std::int64_t now, std::int64_t free_ns) {
  const std::int64_t planned_ns = first_ns();
  pacing_.lateness.record(lateness_ns(planned_ns, now, free_ns));
  if (last_sent_ns_ != 0) {
    const std::int64_t gap_ns = now - last_sent_ns_;
    const std::int64_t off_ns = gap_ns - (planned_ns - last_planned_ns_);
    pacing_.worst_gap_ns = std::max(pacing_.worst_gap_ns, std::abs(off_ns));
    if (mean_gap_ns_ > 0) {
      const double share = exponential_share(static_cast<double>(gap_ns), mean_gap_ns_);
      const auto bin = static_cast<std::size_t>(share * Pacing::kGapBins);
      ++pacing_.gaps[std::min(bin, Pacing::kGapBins - 1)];
    }
  }
  last_sent_ns_ = now;
  last_planned_ns_ = planned_ns;
  give_up();
}

void Pacer::give_up() {
  oldest_.advance();
  --waiting_;
}

std::int64_t Pacer::give_up_beyond_bound() {
  const std::int64_t excess = std::max<std::int64_t>(waiting_ - most_waiting_, 0);
  for (std::int64_t i = 0; i < excess; ++i) give_up();
  return excess;
}

std::int64_t Pacer::end() {
  next_due_ns_ = INT64_MAX;
  const std::int64_t never_sent = waiting_;
  waiting_ = 0;
  return never_sent;
}

}  // namespace hotlap::load
