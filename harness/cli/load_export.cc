// See load_export.h.
#include "harness/cli/load_export.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cli/load_result.h"

namespace hotlap::cli {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kStepsToHalve = 5;

double deviation_ns(const std::vector<load::Histogram::Bucket>& buckets, double mean_ns,
                    int64_t count) {
  double sum = 0;
  for (const auto& bucket : buckets) {
    const double middle = static_cast<double>(bucket.low_ns + bucket.high_ns) / 2;
    sum += (middle - mean_ns) * (middle - mean_ns) * static_cast<double>(bucket.count);
  }
  return std::sqrt(sum / static_cast<double>(std::max<int64_t>(count, 1)));
}

absl::Status cannot_write(const std::string& path) {
  return absl::UnknownError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

std::string cell(bool present, int64_t ns) { return present ? absl::StrCat(",", ns) : ","; }

}  // namespace

std::string hgrm_text(const load::Histogram& times) {
  std::string text = absl::StrFormat("%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
                                     "1/(1-Percentile)");
  const auto buckets = times.buckets();
  const int64_t most_ns = times.max_ns().value_or(0);
  int64_t seen = 0;
  double level = 0;
  for (const auto& bucket : buckets) {
    seen += bucket.count;
    const double reached = static_cast<double>(seen) / static_cast<double>(times.count());
    const double value_ms = static_cast<double>(std::min(bucket.high_ns, most_ns)) / kNsPerMs;
    while (level <= reached && seen < times.count()) {
      absl::StrAppendFormat(&text, "%12.6f %2.12f %10d %14.2f\n", value_ms, level, seen,
                            1 / (1 - level));
      // The steps halve each time that the rest does.
      const double halvings = std::floor(std::log2(1 / (1 - level))) + 1;
      level += 1 / (kStepsToHalve * std::exp2(halvings));
    }
    if (seen == times.count()) {
      absl::StrAppendFormat(&text, "%12.6f %2.12f %10d\n", value_ms, 1.0, seen);
    }
  }
  const double mean_ns = times.mean_ns().value_or(0);
  absl::StrAppendFormat(&text, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", mean_ns / kNsPerMs,
                        deviation_ns(buckets, mean_ns, times.count()) / kNsPerMs);
  absl::StrAppendFormat(&text, "#[Max     = %12.6f, Total count    = %12d]\n",
                        static_cast<double>(most_ns) / kNsPerMs, times.count());
  // Of the histogram itself: 45 bits of value, of which the first 11 are linear.
  absl::StrAppendFormat(&text, "#[Buckets = %12d, SubBuckets     = %12d]\n", 35, 2048);
  return text;
}

absl::Status write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? absl::OkStatus() : cannot_write(path);
}

absl::StatusOr<SecondsCsv> SecondsCsv::create(const std::string& path) {
  SecondsCsv csv(path);
  csv.file_ << "end_s,started,late,never_sent,ok,failed,bytes_received,response_p50_ns,"
               "response_p99_ns,response_max_ns,service_p50_ns,service_p99_ns\n";
  csv.file_.flush();
  if (!csv.file_) return cannot_write(path);
  return csv;
}

void SecondsCsv::add(const hotlap::v1::LoadResponse& line) {
  const auto& now = line.counts();
  const auto& before = last_.counts();
  const auto& recent = line.recent();
  file_ << absl::StrFormat("%.3f", line.elapsed_s())
        << absl::StrCat(",", now.started() - before.started(), ",", now.late() - before.late(), ",",
                        now.never_sent() - before.never_sent(), ",", now.ok() - before.ok(), ",",
                        failures(now) - failures(before), ",",
                        line.bytes_received() - last_.bytes_received())
        << cell(recent.has_response_p50_ns(), recent.response_p50_ns())
        << cell(recent.has_response_p99_ns(), recent.response_p99_ns())
        << cell(recent.has_response_max_ns(), recent.response_max_ns())
        << cell(recent.has_service_p50_ns(), recent.service_p50_ns())
        << cell(recent.has_service_p99_ns(), recent.service_p99_ns()) << "\n";
  file_.flush();
  last_ = line;
}

absl::Status SecondsCsv::close() {
  file_.close();
  return file_ ? absl::OkStatus() : cannot_write(path_);
}

}  // namespace hotlap::cli
