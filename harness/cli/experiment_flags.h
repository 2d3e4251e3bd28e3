// The flags by which `hotlap ab` describes an experiment, and the experiment that they make.
#ifndef HOTLAP_HARNESS_CLI_EXPERIMENT_FLAGS_H_
#define HOTLAP_HARNESS_CLI_EXPERIMENT_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/cli/arm_flags.h"
#include "harness/cli/cli11.h"
#include "harness/cli/open_loop_flags.h"
#include "harness/cli/stream_flags.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::cli {

// What is asked of a server; shared by `ab`, `verify` and `load`.
struct WorkloadFlags {
  std::vector<std::string> requests;  // "GET /hello" or "/hello"
  std::vector<std::string> headers;   // "Name: value"
  std::string body;
  std::optional<uint32_t> connections;
  std::optional<uint32_t> threads;
  std::optional<uint32_t> timeout_ms;
  std::optional<uint32_t> pipeline;
  std::optional<uint32_t> expect_status;
  std::optional<double> allow_errors;
  bool close = false;
  bool any_body = false;

  void add_to(CLI::App& command);
  absl::StatusOr<hotlap::v1::Workload> workload() const;
};

struct PlacementFlags {
  std::string server_cpus;  // "0,2-3"
  std::string load_cpus;
  bool share = false;

  void add_to(CLI::App& command);
  absl::StatusOr<hotlap::v1::Placement> placement() const;
};

struct PlanFlags {
  std::string plan = "quick";
  std::optional<double> slice_ms;
  std::optional<uint32_t> sets;
  std::optional<double> set_ms;
  std::optional<double> warmup_ms;

  void add_to(CLI::App& command);
  absl::StatusOr<hotlap::v1::Plan> plan_message() const;
};

struct ExperimentFlags {
  std::string stage;
  std::optional<std::string> base;  // "baseline"
  std::string a, b;
  std::vector<std::string> more_arms;
  std::string name;
  std::string seed;
  std::optional<double> margin_percent;
  std::string metric;
  bool no_verify = false;
  bool no_counting = false;
  std::string counters;  // "cycles,sched:sched_switch"
  ArmFlags arms;
  WorkloadFlags workload;
  PlacementFlags placement;
  PlanFlags plan;
  OpenLoopFlags open;
  std::optional<uint32_t> passes;
  std::optional<double> pass_s;
  bool profile = false;
  std::optional<double> profile_s;
  bool off_cpu = false;
  bool heap = false;
  StreamFlags stream;

  void add_to(CLI::App& command);
  absl::StatusOr<hotlap::v1::Experiment> experiment() const;

 private:
  absl::Status add_open_passes(hotlap::v1::Experiment& experiment) const;
  absl::Status add_profile_pass(hotlap::v1::Experiment& experiment) const;
};

// "0,2-3" as numbers.
absl::StatusOr<std::vector<uint32_t>> parse_cpu_list(const std::string& text);

// "quick", "ci" or "fixed:N".
absl::StatusOr<hotlap::v1::Plan> parse_plan(const std::string& text);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_EXPERIMENT_FLAGS_H_
