// A run's directory: run.json, slices.csv, rounds.csv, latency.csv and syscalls.csv, written as the
// run goes, so that whatever happens to the writer, every finished round can be read.
//
// A round is appended with one write a file, rounds.csv last: a round counts as finished when its
// rows stand there. run.json is replaced by a rename and thus never half written.
#ifndef HOTLAP_HARNESS_RECORD_RUN_DIRECTORY_H_
#define HOTLAP_HARNESS_RECORD_RUN_DIRECTORY_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/proto/results.pb.h"

namespace hotlap::record {

inline constexpr uint32_t kSchemaVersion = 1;

class RunDirectory {
 public:
  // Makes the directory (and its parents) and the CSV files with their header lines; each of
  // `events`, which have no commas, is a column "event:NAME" of rounds.csv. Fails when it exists
  // and is not empty, or cannot be written.
  static absl::StatusOr<RunDirectory> create(const std::filesystem::path& path,
                                             std::vector<std::string> arm_names,
                                             std::vector<std::string> events = {});

  const std::filesystem::path& path() const { return path_; }

  // Appends the rows of one round. Fails, naming the file, when the disk is full.
  absl::Status append(const hotlap::v1::Round& round);

  // Appends the times of one open pass to latency.csv: response times as pass "open", service times
  // as "open_service".
  absl::Status append(const hotlap::v1::OpenPass& pass);

  // Replaces run.json.
  absl::Status write_run(const hotlap::v1::Run& run);

 private:
  RunDirectory(std::filesystem::path path, std::vector<std::string> arm_names,
               std::vector<std::string> events)
      : path_(std::move(path)), arm_names_(std::move(arm_names)), events_(std::move(events)) {}

  absl::Status append_text(const char* file, const std::string& rows) const;

  std::filesystem::path path_;
  std::vector<std::string> arm_names_;
  std::vector<std::string> events_;
};

// Reads run.json. Fails, naming the file and the remedy, when it is missing, is not JSON, or has a
// schema version that this build does not know.
absl::StatusOr<hotlap::v1::Run> read_run(const std::filesystem::path& run_directory);

}  // namespace hotlap::record

#endif  // HOTLAP_HARNESS_RECORD_RUN_DIRECTORY_H_
