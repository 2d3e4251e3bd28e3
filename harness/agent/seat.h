// Where a run's processes sit: the CPUs of servers and of load, the spawner with its lasting
// thread, and for each program the equal-length paths from which it may run; arms that run the same
// program swap them.
#ifndef HOTLAP_HARNESS_AGENT_SEAT_H_
#define HOTLAP_HARNESS_AGENT_SEAT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/proto/experiment.pb.h"
#include "harness/targets/placement.h"
#include "harness/targets/spawner.h"
#include "harness/targets/staged_program.h"

namespace hotlap::agent {

class Seat {
 public:
  // Chooses CPUs, starts the spawner, and stages the programs in a private directory.
  static absl::StatusOr<std::unique_ptr<Seat>> take(const hotlap::v1::Experiment& experiment);
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  const targets::Placement& placement() const { return placement_; }
  targets::Spawner& spawner() { return *spawner_; }

  // Private to the run, and gone with it.
  const std::string& directory() const { return directory_; }

  // Launch options of an arm that runs from path `slot`; CPUs and environment are set.
  targets::LaunchOptions launch_options(size_t arm, uint32_t slot) const;

 private:
  Seat() = default;

  targets::Placement placement_;
  std::unique_ptr<targets::Spawner> spawner_;
  std::string directory_;
  std::vector<std::shared_ptr<targets::StagedProgram>> programs_;  // by arm; null: cmd: and url:
  std::vector<std::vector<std::pair<std::string, std::string>>> environments_;  // by arm
};

absl::StatusOr<targets::Placement> choose_placement(const hotlap::v1::Placement& asked);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_SEAT_H_
