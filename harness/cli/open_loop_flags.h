// The flags of an open loop, shared by `load` and `ab`.
#ifndef HOTLAP_HARNESS_CLI_OPEN_LOOP_FLAGS_H_
#define HOTLAP_HARNESS_CLI_OPEN_LOOP_FLAGS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/cli/cli11.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::cli {

struct OpenLoopFlags {
  std::optional<double> rate_per_s;
  std::string arrivals;
  std::string catch_up;
  std::string replay_speed;

  // `of_rate` is what --rate does here.
  void add_to(CLI::App& command, const std::string& of_rate);
  bool asked() const { return rate_per_s.has_value() || recorded(); }
  bool recorded() const { return !replay_speed.empty(); }
  // Refuses what belongs to an open loop where none is asked for, and what contradicts.
  absl::Status check(bool asked) const;
  // At `default_rate_per_s` where the flags name none.
  absl::StatusOr<hotlap::v1::OpenLoop> loop(double default_rate_per_s) const;
};

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_OPEN_LOOP_FLAGS_H_
