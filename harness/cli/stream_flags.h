// The flags that make requests differ from one another: ids in templates, and a log asked again.
// Shared by `load` and `ab`.
#ifndef HOTLAP_HARNESS_CLI_STREAM_FLAGS_H_
#define HOTLAP_HARNESS_CLI_STREAM_FLAGS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "harness/cli/cli11.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::cli {

struct StreamFlags {
  std::string ids;
  bool same_body = false;
  std::string replay_path;
  std::string replay_bodies;
  std::string expect;
  std::optional<double> allowed_bad_share;

  void add_to(CLI::App& command);
  bool random_ids() const { return ids.starts_with("random:"); }
  // Adds what was asked for to the workload that the other flags made. Refuses flags that would
  // have no effect.
  absl::Status apply(hotlap::v1::Workload& workload) const;

 private:
  absl::Status apply_ids(hotlap::v1::Workload& workload) const;
  absl::Status apply_replay(hotlap::v1::Workload& workload) const;
};

// "FLAG would have no effect: WHY".
absl::Status no_effect(const std::string& flag, const std::string& why);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_STREAM_FLAGS_H_
