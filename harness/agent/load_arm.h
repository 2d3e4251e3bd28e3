// What the load generator is told about an arm: its endpoint, and the workload as prebuilt
// requests.
#ifndef HOTLAP_HARNESS_AGENT_LOAD_ARM_H_
#define HOTLAP_HARNESS_AGENT_LOAD_ARM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/load/generator.h"
#include "harness/proto/experiment.pb.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

// `endpoint` is "HOST:PORT". The workload is an effective one.
absl::StatusOr<load::ArmSpec> load_arm(const std::string& endpoint,
                                       const hotlap::v1::Workload& workload);

void add_counts(const load::Counts& counts, hotlap::v1::ErrorCounts& sum);

hotlap::v1::Latency latency_message(const load::Histogram& histogram);

// OK while the share of failed requests is within what the workload allows; else an error
// (FAILED_PRECONDITION) that lists the classes: "arm b: 12 of 480 requests failed (12 reset)".
absl::Status check_errors(const std::string& arm, const hotlap::v1::ErrorCounts& counts,
                          double allowed_share);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_LOAD_ARM_H_
