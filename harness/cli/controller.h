// A run from its first call to its verdict: set-up, gate, rounds until a look concludes, the
// counting pass, the verdicts, a profile where one is asked for; everything is in the run directory
// before it is told.
#ifndef HOTLAP_HARNESS_CLI_CONTROLLER_H_
#define HOTLAP_HARNESS_CLI_CONTROLLER_H_

#include <filesystem>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/evidence.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/plan/looks.h"
#include "harness/plan/stop_rule.h"
#include "harness/proto/profile.pb.h"
#include "harness/proto/results.pb.h"
#include "harness/record/run_directory.h"

namespace hotlap::cli {

struct RunOutcome {
  hotlap::v1::Run run;              // as run.json has it
  std::filesystem::path directory;  // empty when the run ended before there was one
  absl::Status status;              // CANCELLED when interrupted; else what failed
  std::optional<hotlap::v1::Profile> profile = std::nullopt;  // as profile.json has it
};

class Controller {
 public:
  Controller(AgentProcess& agent, Interrupt& interrupt, Progress& progress)
      : agent_(agent), interrupt_(interrupt), progress_(progress) {}

  // `out` is the run directory to make. `command` is what makes the run again.
  RunOutcome run(const hotlap::v1::Experiment& asked, const std::filesystem::path& out,
                 const std::string& command);

 private:
  absl::Status set_up(const hotlap::v1::Experiment& asked);
  absl::Status verify();
  absl::Status check_primary() const;
  absl::Status timing_pass();
  absl::Status count(const char* pass, const char* what);
  absl::Status counting_passes();
  absl::Status open_passes();
  absl::StatusOr<hotlap::v1::OpenPass> run_open_pass(uint32_t index);
  absl::StatusOr<hotlap::v1::Round> take_round(const char* pass, uint32_t index);
  absl::Status run_round(const char* pass, uint32_t index);
  absl::Status cost_pass();
  absl::StatusOr<plan::Decision> decide() const;
  absl::Status judge(bool at_look);
  absl::Status profile_pass();
  void show_round(uint32_t rounds) const;
  std::string running_estimate() const;
  void conclude(const absl::Status& status);
  // An RPC's failure in this process's terms: interrupted, the agent gone, or what it said.
  absl::Status call_status(const grpc::Status& status);

  AgentProcess& agent_;
  Interrupt& interrupt_;
  Progress& progress_;
  hotlap::v1::Run run_;
  std::unique_ptr<record::RunDirectory> directory_;
  RoundLog log_;
  std::string counted_;  // in the counting pass, in words
  plan::Looks looks_;
  plan::Decision decision_;
  std::optional<hotlap::v1::Profile> profile_;
  double begin_s_ = 0;
  double timing_begin_s_ = 0;
};

// results/run-<UTC time>-<name>, below the current directory.
std::filesystem::path default_run_directory(const std::string& name);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_CONTROLLER_H_
