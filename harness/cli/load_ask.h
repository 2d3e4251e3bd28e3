// What `hotlap load` asks beyond what every command can: any method, bodies from files or made up,
// and what a reply's body must be.
#ifndef HOTLAP_HARNESS_CLI_LOAD_ASK_H_
#define HOTLAP_HARNESS_CLI_LOAD_ASK_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "harness/cli/cli11.h"
#include "harness/cli/experiment_flags.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::cli {

struct AskFlags {
  std::string method;
  std::string body_path;
  std::string body_size;
  std::string expect_sha256;
  std::optional<uint64_t> expect_length;

  void add_to(CLI::App& command);
  // Refuses what cannot be read, contradicts itself or `workload`, or would have no effect.
  absl::Status check(const WorkloadFlags& workload) const;
  // Gives each request what was asked for. Reads the body's file.
  absl::Status set(hotlap::v1::Workload& workload) const;
};

// "1000", "64k", "10M", "1G": bytes, and units of 1024.
absl::StatusOr<uint64_t> parse_size(const std::string& flag, const std::string& text);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_LOAD_ASK_H_
