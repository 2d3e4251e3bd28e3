// What follows from a load's result; see load_result.h.
#include "harness/cli/load_result.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cli/time_text.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::ErrorCounts;
using hotlap::v1::Latency;
using hotlap::v1::OpenLoop;

constexpr double kLittleTolerance = 0.05;
constexpr double kLeastSentShare = 0.99;
constexpr double kMostBusyShare = 0.9;
constexpr int64_t kMostLatenessNs = 1'000'000;
constexpr double kMostGapDistance = 0.05;
// Kolmogorov and Smirnov's limit at 1 % is this over the root of the number of gaps.
constexpr double kGapLimit = 1.63;

load::Histogram histogram_of(const Latency& latency) {
  std::vector<load::Histogram::Bucket> buckets;
  for (const auto& bucket : latency.buckets()) {
    buckets.push_back({bucket.low_ns(), bucket.high_ns(), bucket.count()});
  }
  load::Histogram histogram;
  histogram.merge_buckets(buckets, latency.min_ns(), latency.max_ns(), latency.sum_ns());
  return histogram;
}

double per_second(int64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

// Whether the generator, and not the server, made the figures.
void add_generator_warnings(const LoadResult& result, std::vector<std::string>& found) {
  const auto& line = result.line;
  if (line.busiest_thread_share() > kMostBusyShare) {
    found.push_back(absl::StrFormat(
        "a load thread was busy %.0f %% of the time: the generator may be the bottleneck; give it "
        "more threads (-t) and CPUs",
        100 * line.busiest_thread_share()));
  }
  if (!line.has_pacing()) return;
  const auto& pacing = line.pacing();
  if (pacing.lateness_p99_ns() > kMostLatenessNs) {
    found.push_back(absl::StrCat(
        "the generator itself was late (p99 ",
        time_text(static_cast<double>(pacing.lateness_p99_ns())),
        "): it, or what else ran on its CPU, was the bottleneck; that time is in the response "
        "times"));
  }
  const double limit =
      std::max(kMostGapDistance, kGapLimit / std::sqrt(static_cast<double>(pacing.gaps())));
  if (pacing.has_gap_distance() && pacing.gap_distance() > limit) {
    found.push_back(absl::StrFormat(
        "the gaps between sends were not those of Poisson arrivals (distance %.3f, limit %.3f): "
        "the server was offered another load than planned",
        pacing.gap_distance(), limit));
  }
}

}  // namespace

LoadResult::LoadResult(hotlap::v1::LoadResponse final_line)
    : line(std::move(final_line)),
      response(histogram_of(line.latency())),
      service(histogram_of(line.service())),
      failures(histogram_of(line.failures())),
      connecting(histogram_of(line.connecting())) {}

double LoadResult::throughput_per_s() const {
  return per_second(line.counts().ok(), line.elapsed_s());
}

double LoadResult::sent_per_s() const {
  return per_second(line.counts().started() - line.counts().never_sent(), line.sending_s());
}

std::optional<double> LoadResult::sent_share() const {
  if (!open() || line.counts().started() == 0) return std::nullopt;
  return 1 - static_cast<double>(line.counts().never_sent()) /
                 static_cast<double>(line.counts().started());
}

std::vector<std::pair<std::string, int64_t>> classes(const ErrorCounts& counts) {
  return {{"ok", counts.ok()},
          {"unexpected_status", counts.unexpected_status()},
          {"unexpected_body", counts.unexpected_body()},
          {"connect", counts.connect()},
          {"reset", counts.reset()},
          {"timeout", counts.timeout()},
          {"protocol", counts.protocol()},
          {"tls", counts.tls()},
          {"in_flight", counts.in_flight()},
          {"never_sent", counts.never_sent()}};
}

int64_t failures(const ErrorCounts& counts) {
  return counts.unexpected_status() + counts.unexpected_body() + counts.connect() + counts.reset() +
         counts.timeout() + counts.protocol() + counts.tls();
}

std::vector<std::string> warnings(const LoadResult& result) {
  std::vector<std::string> found;
  const auto& line = result.line;
  if (const auto share = result.sent_share(); share && *share < kLeastSentShare) {
    found.push_back(absl::StrFormat(
        "only %.1f %% of the asked rate was sent; what never was is in no response time",
        100 * *share));
  }
  add_generator_warnings(result, found);
  if (line.has_little_ratio() && line.counts().ok() > 0 &&
      std::fabs(line.little_ratio() - 1) > kLittleTolerance) {
    found.push_back(absl::StrFormat(
        "Little's law is off by more than 5 %% (X*R/N = %.3f): connections were not always busy",
        line.little_ratio()));
  }
  return found;
}

}  // namespace hotlap::cli
