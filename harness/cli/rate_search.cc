// See rate_search.h.
#include "harness/cli/rate_search.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/cli/load_flags.h"

namespace hotlap::cli {
namespace {

constexpr double kLeastSentShare = 0.99;
constexpr double kNsPerS = 1e9;

}  // namespace

double Promise::least_rate_per_s(double duration_s) const {
  // 10 / (1 - q) samples; of Poisson arrivals somewhat fewer may come than planned.
  constexpr double kSamplesBeyond = 10;
  constexpr double kSpare = 1.2;
  return kSpare * kSamplesBeyond / (1 - quantile) / duration_s;
}

bool Promise::kept_by(const LoadResult& result) const {
  const auto& line = result.line;
  const double allowed =
      line.effective().allowed_error_share() * static_cast<double>(line.counts().started());
  if (static_cast<double>(failures(line.counts())) > allowed) return false;
  if (result.sent_share().value_or(0) < kLeastSentShare) return false;
  const auto value_ns = result.response.supported_quantile_ns(quantile);
  return value_ns && static_cast<double>(*value_ns) < limit_ns;
}

absl::StatusOr<Promise> parse_promise(const std::string& text) {
  Promise promise;
  promise.text = text;
  double percent = 0;
  const size_t less = text.find('<');
  const bool read = absl::StartsWith(text, "p") && less != std::string::npos &&
                    absl::SimpleAtod(text.substr(1, less - 1), &percent);
  const bool limited = read && less + 1 < text.size() && absl::ascii_isdigit(text[less + 1]);
  if (!limited || !(percent > 0 && percent < 100)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max-rate-within \"", text, "\" must read as p99<5ms"));
  }
  promise.quantile = percent / 100;
  auto limit_s = parse_duration_s("--max-rate-within", text.substr(less + 1));
  if (!limit_s.ok()) return limit_s.status();
  promise.limit_ns = *limit_s * kNsPerS;
  return promise;
}

void RateSearch::tried(bool kept) {
  (kept ? kept_ : broken_) = next_per_s_;
  if (kept_ && broken_) {
    done_ = *broken_ / *kept_ <= kResolution;
    next_per_s_ = std::sqrt(*kept_ * *broken_);
  } else if (kept_) {
    done_ = next_per_s_ >= kMostPerS;
    next_per_s_ = std::min(next_per_s_ * 2, kMostPerS);
  } else {
    done_ = next_per_s_ <= least_per_s_;
    next_per_s_ = std::max(next_per_s_ / 2, least_per_s_);
  }
}

}  // namespace hotlap::cli
