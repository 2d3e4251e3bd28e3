// What the load generator is told about an arm: its endpoint, and the workload as prebuilt
// requests.
#ifndef HOTLAP_HARNESS_AGENT_LOAD_ARM_H_
#define HOTLAP_HARNESS_AGENT_LOAD_ARM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/load/generator.h"
#include "harness/proto/experiment.pb.h"
#include "harness/proto/results.pb.h"
#include "harness/targets/target_process.h"

namespace hotlap::agent {

// `endpoint` is "HOST:PORT", of an address or localhost. The workload is an effective one. `log` is
// what it replays: read anew where it replays one and none is given.
absl::StatusOr<load::ArmSpec> load_arm(const std::string& endpoint,
                                       const hotlap::v1::Workload& workload,
                                       std::shared_ptr<const load::ReplayLog> log = nullptr);

absl::StatusOr<load::ArmSpec> load_arm(const load::Endpoint& endpoint,
                                       const hotlap::v1::Workload& workload,
                                       std::shared_ptr<const load::ReplayLog> log = nullptr);

// The same for a target that runs; over TLS where its pipeline does. Such a server is a child of
// ours, with a certificate that it made a moment ago: nothing is verified. Sessions are offered
// again; whether they resume is the server's choice.
absl::StatusOr<load::ArmSpec> load_arm(const targets::TargetProcess& target,
                                       const hotlap::v1::Workload& workload,
                                       std::shared_ptr<const load::ReplayLog> log = nullptr);

load::Ids ids_of(const hotlap::v1::Ids& ids);

// Whether a pipeline, as its server echoes it, speaks TLS; and whether it resumes sessions.
bool speaks_tls(const std::string& echo);
bool resumes_sessions(const std::string& echo);

void add_counts(const load::Counts& counts, hotlap::v1::ErrorCounts& sum);

hotlap::v1::Latency latency_message(const load::Histogram& histogram);

// OK while the share of failed requests is within what the workload allows; else an error
// (FAILED_PRECONDITION) that lists the classes: "arm b: 12 of 480 requests failed (12 reset)".
absl::Status check_errors(const std::string& arm, const hotlap::v1::ErrorCounts& counts,
                          double allowed_share);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_LOAD_ARM_H_
