// `hotlap ab --deterministic`: instructions per request of every arm, counted under callgrind. Two
// processes a value, of which one serves kFew and the other kMany requests: what both do, start-up
// and end, drops out of the difference. Three repetitions where nothing varies, eight where it
// does.
#ifndef HOTLAP_HARNESS_CLI_DETERMINISTIC_AB_H_
#define HOTLAP_HARNESS_CLI_DETERMINISTIC_AB_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/proto/results.pb.h"

namespace hotlap::cli {

// One value: arm and repetition, and what was counted.
struct InstructionPair {
  size_t arm = 0;
  uint32_t repetition = 0;
  uint32_t few_requests = 0;
  uint32_t many_requests = 0;
  int64_t few_instructions = 0;
  int64_t many_instructions = 0;

  double per_request() const;
};

// Verdicts of all arms against the first, on the metric instructions_per_request: `exact` where no
// repetition varies, else with an interval, as any other metric.
absl::Status judge_instructions(const std::vector<InstructionPair>& pairs, hotlap::v1::Run& run);

// Whether the values of every arm agree.
bool unvarying(const std::vector<InstructionPair>& pairs, size_t arms);

// The sentence, the numbers with all their digits, and what they cannot see.
std::string instructions_text(const hotlap::v1::Run& run);

class DeterministicAb {
 public:
  DeterministicAb(AgentProcess& agent, Interrupt& interrupt, Progress& progress)
      : agent_(agent), interrupt_(interrupt), progress_(progress) {}

  // Writes run.json and instructions.csv into `out`, as it goes. CANCELLED when interrupted.
  absl::StatusOr<hotlap::v1::Run> run(const hotlap::v1::Experiment& asked,
                                      const std::filesystem::path& out, const std::string& command);

 private:
  absl::Status describe(hotlap::v1::Run& run);
  absl::StatusOr<int64_t> count(hotlap::v1::Run& run, size_t arm, uint32_t requests);
  absl::Status repeat(hotlap::v1::Run& run, uint32_t repetition,
                      std::vector<InstructionPair>& pairs);

  AgentProcess& agent_;
  Interrupt& interrupt_;
  Progress& progress_;
};

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_DETERMINISTIC_AB_H_
