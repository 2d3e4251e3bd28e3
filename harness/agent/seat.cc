// Placement, spawner and staged programs; see seat.h.
#include "harness/agent/seat.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "harness/agent/arm_process.h"

namespace hotlap::agent {
namespace {

constexpr int kMaxSlots = 10;

std::vector<int> as_ints(const google::protobuf::RepeatedField<uint32_t>& cpus) {
  return std::vector<int>(cpus.begin(), cpus.end());
}

}  // namespace

absl::StatusOr<targets::Placement> choose_placement(const hotlap::v1::Placement& asked) {
  auto topology = targets::read_cpu_topology();
  if (!topology.ok()) return topology.status();
  return targets::place({as_ints(asked.server_cpus()), as_ints(asked.load_cpus()), asked.share()},
                        *topology);
}

absl::StatusOr<std::unique_ptr<Seat>> Seat::take(const hotlap::v1::Experiment& experiment) {
  std::unique_ptr<Seat> seat(new Seat());
  auto placement = choose_placement(experiment.placement());
  if (!placement.ok()) return placement.status();
  seat->placement_ = *std::move(placement);

  targets::SpawnerOptions options;
  options.watcher_cpus = seat->placement_.load_cpus;
  auto spawner = targets::Spawner::create(options);
  if (!spawner.ok()) return spawner.status();
  seat->spawner_ = *std::move(spawner);

  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (error) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the directory for temporary files (TMPDIR) cannot be used: ", error.message()));
  }
  std::error_code ignored;
  std::string pattern = (temporary / "hotlap-run-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return absl::InternalError(absl::StrCat("cannot make a private directory at ", pattern, ": ",
                                            strerror(errno), "; TMPDIR chooses another place"));
  }
  seat->directory_ = pattern;
  const auto bin = targets::own_bin_directory();
  if (!bin.ok()) return bin.status();
  std::map<std::string, std::shared_ptr<targets::StagedProgram>> by_program;
  const int slots = std::min(experiment.arms_size(), kMaxSlots);
  for (const auto& arm : experiment.arms()) {
    auto& staged = seat->programs_.emplace_back();
    auto& environment = seat->environments_.emplace_back();
    for (const auto& variable : arm.environment()) {
      environment.emplace_back(variable.name(), variable.value());
    }
    const targets::TargetSpec spec = target_spec(arm.target());
    if (!targets::announces_itself(spec.kind)) continue;
    auto program = targets::find_program(spec, *bin);
    if (!program.ok()) {
      return absl::Status(
          program.status().code(),
          absl::StrCat("arm ", arm.name(), ": ", std::string(program.status().message())));
    }
    auto& shared = by_program[*program];
    if (shared == nullptr) {
      // Every program gets a directory of its own, of one length.
      const std::string directory =
          absl::StrCat(pattern, "/", std::string(1, static_cast<char>('a' + by_program.size())));
      std::filesystem::create_directory(directory, ignored);
      auto made = targets::StagedProgram::create(*program, directory, slots);
      if (!made.ok()) return made.status();
      shared = std::make_shared<targets::StagedProgram>(*std::move(made));
    }
    staged = shared;
  }
  return seat;
}

Seat::~Seat() {
  spawner_.reset();
  programs_.clear();
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

targets::LaunchOptions Seat::launch_options(size_t arm, uint32_t slot) const {
  targets::LaunchOptions options;
  options.cpus = placement_.server_cpus;
  options.environment = environments_[arm];
  if (const auto& staged = programs_[arm]; staged != nullptr) {
    options.program = staged->path(static_cast<int>(slot % staged->slots()));
  }
  return options;
}

}  // namespace hotlap::agent
