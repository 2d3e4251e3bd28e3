// Files that other tools read: HdrHistogram's percentile format, and a table of seconds.
#ifndef HOTLAP_HARNESS_CLI_LOAD_EXPORT_H_
#define HOTLAP_HARNESS_CLI_LOAD_EXPORT_H_

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/load/histogram.h"
#include "harness/proto/control.pb.h"

namespace hotlap::cli {

// As HdrHistogram's outputPercentileDistribution writes it, five steps to each halving of the rest,
// values in milliseconds.
std::string hgrm_text(const load::Histogram& times);

// Fails with what the system said when the file cannot be written.
absl::Status write_file(const std::string& path, const std::string& text);

// One row for each line of progress: counts of that stretch, and quantiles in ns, empty where too
// few samples support them. Written as the load goes.
class SecondsCsv {
 public:
  static absl::StatusOr<SecondsCsv> create(const std::string& path);

  void add(const hotlap::v1::LoadResponse& line);
  // Whether all of it reached the file.
  absl::Status close();

 private:
  explicit SecondsCsv(std::string path) : path_(std::move(path)), file_(path_) {}

  std::string path_;
  std::ofstream file_;
  hotlap::v1::LoadResponse last_;
};

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_LOAD_EXPORT_H_
