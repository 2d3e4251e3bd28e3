// The rare operations of the histogram; recording is inline in the header.
#include "harness/load/histogram.h"

#include <algorithm>
#include <cmath>

namespace hotlap::load {

Histogram::Histogram() : counts_(index_of(kHighestBucketedNs) + 1) {}

Histogram::Bucket Histogram::range_of(std::size_t index) {
  if (index < static_cast<std::size_t>(kLinear)) {
    const auto value = static_cast<std::int64_t>(index);
    return {value, value, 0};
  }
  const std::size_t shift = (index >> kSubBits) - 1;
  const std::size_t half = std::size_t{1} << kSubBits;
  const auto low = static_cast<std::int64_t>((half + (index & (half - 1))) << shift);
  return {low, low + (std::int64_t{1} << shift) - 1, 0};
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

void Histogram::merge_buckets(const std::vector<Bucket>& buckets, std::int64_t min_ns,
                              std::int64_t max_ns, std::int64_t sum_ns) {
  std::int64_t added = 0;
  for (const Bucket& bucket : buckets) {
    counts_[index_of(std::max<std::int64_t>(bucket.low_ns, 0))] += bucket.count;
    added += bucket.count;
  }
  if (added == 0) return;
  count_ += added;
  sum_ns_ += sum_ns;
  min_ns_ = std::min(min_ns_, min_ns);
  max_ns_ = std::max(max_ns_, max_ns);
}

void Histogram::reset() {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = 0;
  sum_ns_ = 0;
  min_ns_ = INT64_MAX;
  max_ns_ = 0;
}

std::optional<std::int64_t> Histogram::min_ns() const {
  return count_ == 0 ? std::nullopt : std::optional(min_ns_);
}

std::optional<std::int64_t> Histogram::max_ns() const {
  return count_ == 0 ? std::nullopt : std::optional(max_ns_);
}

std::optional<double> Histogram::mean_ns() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_ns_) / static_cast<double>(count_);
}

std::optional<std::int64_t> Histogram::quantile_ns(double q) const {
  if (count_ == 0 || !(q >= 0.0 && q <= 1.0)) return std::nullopt;
  // 0.07 * 100 is a little more than 7 in binary: take rounding off before the ceiling.
  const double exact = q * static_cast<double>(count_);
  const double rank = std::max(1.0, std::ceil(exact - 1e-9 - exact * 1e-14));
  if (rank >= static_cast<double>(count_)) return max_ns_;
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (static_cast<double>(seen) < rank) continue;
    const Bucket range = range_of(i);
    return std::clamp(range.low_ns + (range.high_ns - range.low_ns) / 2, min_ns_, max_ns_);
  }
  return max_ns_;
}

std::optional<std::int64_t> Histogram::supported_quantile_ns(double q) const {
  const double beyond = (1.0 - q) * static_cast<double>(count_);
  if (beyond < 10.0 * (1.0 - 1e-9)) return std::nullopt;
  return quantile_ns(q);
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> result;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    Bucket bucket = range_of(i);
    bucket.count = counts_[i];
    result.push_back(bucket);
  }
  return result;
}

}  // namespace hotlap::load
