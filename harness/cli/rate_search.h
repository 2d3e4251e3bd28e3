// The search for the highest rate at which a server keeps a promise such as p99<5ms. It only says
// which rate to try next; the loads are somebody else's. About a dozen of them decide.
#ifndef HOTLAP_HARNESS_CLI_RATE_SEARCH_H_
#define HOTLAP_HARNESS_CLI_RATE_SEARCH_H_

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "harness/cli/load_result.h"

namespace hotlap::cli {

// A quantile of the response time that must stay below a limit, and with it: at least 99 % of the
// plan sent, and no more failures than are allowed.
struct Promise {
  double quantile = 0.99;
  double limit_ns = 0;
  std::string text;

  // The rate below which loads of so long hold too few samples for the quantile.
  double least_rate_per_s(double duration_s) const;

  // Too few samples for the quantile are no proof, and so keep nothing.
  bool kept_by(const LoadResult& result) const;
};

// "p99<5ms", "p99.9<200us".
absl::StatusOr<Promise> parse_promise(const std::string& text);

// Doubles until the promise breaks (halves, where the first rate breaks it), then halves the
// ratio between the two rates until it is within kResolution.
class RateSearch {
 public:
  static constexpr double kResolution = 1.05;
  static constexpr double kMostPerS = 1e8;

  // No rate below `least_per_s` is tried.
  RateSearch(double first_per_s, double least_per_s)
      : least_per_s_(least_per_s), next_per_s_(std::max(first_per_s, least_per_s)) {}

  bool done() const { return done_; }
  double next_per_s() const { return next_per_s_; }
  void tried(bool kept);

  // Absent when not even the least rate kept it.
  std::optional<double> highest_kept_per_s() const { return kept_; }
  std::optional<double> lowest_broken_per_s() const { return broken_; }

 private:
  double least_per_s_;
  double next_per_s_;
  bool done_ = false;
  std::optional<double> kept_;
  std::optional<double> broken_;
};

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_RATE_SEARCH_H_
