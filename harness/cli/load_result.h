// The result of a load, and what a reader must be told of it before believing its figures.
#ifndef HOTLAP_HARNESS_CLI_LOAD_RESULT_H_
#define HOTLAP_HARNESS_CLI_LOAD_RESULT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/load/histogram.h"
#include "harness/proto/control.pb.h"

namespace hotlap::cli {

// The final message of the load RPC, with its histograms made whole.
struct LoadResult {
  explicit LoadResult(hotlap::v1::LoadResponse final_line);

  hotlap::v1::LoadResponse line;
  load::Histogram response;
  load::Histogram service;  // empty in the closed loop
  load::Histogram failures;
  load::Histogram connecting;

  bool open() const { return line.has_effective_open(); }
  double throughput_per_s() const;           // expected replies
  double sent_per_s() const;                 // requests that went out
  std::optional<double> sent_share() const;  // of those that were due; absent in the closed loop
};

// Class and count, those of no requests too, in a fixed order; they sum to `started`.
std::vector<std::pair<std::string, int64_t>> classes(const hotlap::v1::ErrorCounts& counts);
int64_t failures(const hotlap::v1::ErrorCounts& counts);

// Why the figures may not be what they seem, a sentence each; empty when nothing speaks against
// them.
std::vector<std::string> warnings(const LoadResult& result);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_LOAD_RESULT_H_
