// A latency histogram of three significant digits: 1 ns to 9 hours, a value is known to within
// 0.1 %, minimum, maximum and sum are exact. Values below 2,048 ns have a bucket each; above, each
// power of two is cut into 1,024 buckets, as in HdrHistogram. Recording is a shift, an add and five
// stores; memory is fixed at 290 KB. Not synchronised: one writer.
#ifndef HOTLAP_HARNESS_LOAD_HISTOGRAM_H_
#define HOTLAP_HARNESS_LOAD_HISTOGRAM_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hotlap::load {

class Histogram {
 public:
  struct Bucket {
    std::int64_t low_ns;   // the lowest value that falls in the bucket
    std::int64_t high_ns;  // the highest
    std::int64_t count;
    bool operator==(const Bucket&) const = default;
  };

  // Larger values fall in the last bucket; min, max and sum still have them exactly.
  static constexpr std::int64_t kHighestBucketedNs = (std::int64_t{1} << 45) - 1;

  Histogram();

  // A negative value counts as zero.
  void record(std::int64_t value_ns) {
    if (value_ns < 0) value_ns = 0;
    ++counts_[index_of(value_ns)];
    ++count_;
    sum_ns_ += value_ns;
    if (value_ns < min_ns_) min_ns_ = value_ns;
    if (value_ns > max_ns_) max_ns_ = value_ns;
  }

  void merge(const Histogram& other);
  void reset();
  // Adds buckets as buckets() gave them, with the extremes and the sum kept beside them. Counts of
  // a bucket that this class does not have go where its low end falls.
  void merge_buckets(const std::vector<Bucket>& buckets, std::int64_t min_ns, std::int64_t max_ns,
                     std::int64_t sum_ns);

  std::int64_t count() const { return count_; }
  std::int64_t sum_ns() const { return sum_ns_; }
  // Absent while nothing was recorded.
  std::optional<std::int64_t> min_ns() const;
  std::optional<std::int64_t> max_ns() const;
  std::optional<double> mean_ns() const;

  // The nearest-rank quantile, q in [0, 1]: the middle of the bucket that holds the value of rank
  // ceil(q * count), clamped to [min, max]. Absent when empty or when q is not in [0, 1].
  std::optional<std::int64_t> quantile_ns(double q) const;
  // The same, absent also with fewer than 10 / (1 - q) samples: what may be printed.
  std::optional<std::int64_t> supported_quantile_ns(double q) const;

  // The buckets that hold something, in ascending order.
  std::vector<Bucket> buckets() const;

 private:
  static constexpr int kSubBits = 10;
  static constexpr std::int64_t kLinear = std::int64_t{1} << (kSubBits + 1);  // 2,048

  static std::size_t index_of(std::int64_t value_ns) {
    if (value_ns > kHighestBucketedNs) value_ns = kHighestBucketedNs;
    const auto value = static_cast<std::uint64_t>(value_ns);
    const int width = std::bit_width(value | (kLinear - 1));  // 11 in the linear part
    const int shift = width - (kSubBits + 1);
    return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(value >> shift);
  }
  static Bucket range_of(std::size_t index);

  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  std::int64_t sum_ns_ = 0;
  std::int64_t min_ns_ = INT64_MAX;
  std::int64_t max_ns_ = 0;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_HISTOGRAM_H_
