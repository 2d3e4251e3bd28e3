#include "harness/plan/sign_flip.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace hotlap::plan {

std::vector<double> midranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto size = [&](size_t i) { return std::abs(values[i]); };
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return size(i) < size(j); });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && size(order[end]) == size(order[begin])) ++end;
    // The places begin + 1 .. end share their mean.
    const double shared = 0.5 * static_cast<double>(begin + 1 + end);
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = shared;
    begin = end;
  }
  return ranks;
}

double sign_flip_p(std::span<const double> values) {
  const std::vector<double> ranks = midranks(values);
  std::vector<uint64_t> doubled;  // of the values that are not 0: whole numbers
  uint64_t total = 0;
  uint64_t positive = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    doubled.push_back(static_cast<uint64_t>(std::llround(2 * ranks[i])));
    total += doubled.back();
    if (values[i] > 0) positive += doubled.back();
  }
  const uint64_t tail = std::min(positive, total - positive);
  if (2 * tail == total) return 1;  // in the middle of its distribution; all zero, too
  // Share of all flips whose sum is each number up to the tail; larger sums are never needed.
  std::vector<double> share(tail + 1, 0.0);
  share[0] = 1;
  for (const uint64_t rank : doubled) {
    for (uint64_t sum = tail + 1; sum-- > 0;) {
      share[sum] = 0.5 * (share[sum] + (sum >= rank ? share[sum - rank] : 0.0));
    }
  }
  return std::min(1.0, 2 * std::accumulate(share.begin(), share.end(), 0.0));
}

}  // namespace hotlap::plan
