// The flags by which arms differ beside their targets: variables and cgroups.
#ifndef HOTLAP_HARNESS_CLI_ARM_FLAGS_H_
#define HOTLAP_HARNESS_CLI_ARM_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "harness/cli/cli11.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::cli {

struct ArmFlags {
  std::vector<std::string> a_env, b_env;  // "NAME=VALUE"
  std::vector<std::string> more_env;      // "ARM:NAME=VALUE"
  std::string a_cgroup, b_cgroup;

  // `for_runs`: with what only a run has, arms beyond b and cgroups.
  void add_to(CLI::App& command, bool for_runs);
  // An error where a variable is malformed or names an arm that is not there.
  absl::Status apply(google::protobuf::RepeatedPtrField<hotlap::v1::Arm>& arms) const;
};

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_ARM_FLAGS_H_
