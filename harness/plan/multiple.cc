#include "harness/plan/multiple.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace hotlap::plan {
namespace {

std::vector<size_t> ascending(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return p[i] < p[j]; });
  return order;
}

}  // namespace

std::vector<bool> benjamini_hochberg(std::span<const double> p, double q) {
  const std::vector<size_t> order = ascending(p);
  const auto m = static_cast<double>(p.size());
  size_t kept = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (p[order[i]] <= q * static_cast<double>(i + 1) / m) kept = i + 1;
  }
  std::vector<bool> rejected(p.size(), false);
  for (size_t i = 0; i < kept; ++i) rejected[order[i]] = true;
  return rejected;
}

std::vector<bool> benjamini_yekutieli(std::span<const double> p, double q) {
  double harmonic = 0;
  for (size_t i = 1; i <= p.size(); ++i) harmonic += 1 / static_cast<double>(i);
  return benjamini_hochberg(p, p.empty() ? q : q / harmonic);
}

std::vector<bool> holm(std::span<const double> p, double alpha) {
  const std::vector<size_t> order = ascending(p);
  std::vector<bool> rejected(p.size(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    if (p[order[i]] > alpha / static_cast<double>(p.size() - i)) break;
    rejected[order[i]] = true;
  }
  return rejected;
}

}  // namespace hotlap::plan
