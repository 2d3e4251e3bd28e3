// See instruction_count.h.
#include "harness/agent/instruction_count.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "harness/agent/arm_environment.h"
#include "harness/agent/effective.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/paced_load.h"
#include "harness/agent/seat.h"
#include "harness/agent/setup.h"
#include "harness/capture/preload_library.h"
#include "harness/capture/whole_file.h"
#include "harness/targets/tool.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::InstructionsRequest;
using hotlap::v1::InstructionsResponse;

constexpr uint32_t kMaxRequests = 100000;
constexpr absl::Duration kStartTime = absl::Seconds(120);
constexpr absl::Duration kStopTime = absl::Seconds(60);

absl::Status find_valgrind() {
  if (targets::in_path("valgrind")) return absl::OkStatus();
  return absl::NotFoundError("valgrind is not installed: `apt-get install valgrind`");
}

// Adds up the files that the target's processes left behind.
absl::StatusOr<int64_t> total_of(const std::string& directory) {
  int64_t sum = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (!absl::StartsWith(entry.path().filename().string(), "callgrind.")) continue;
    sum += callgrind_total(capture::read_whole_file(entry.path().string()).value_or(""));
  }
  if (sum > 0) return sum;
  return absl::DataLossError(
      "callgrind left no count behind: the target was killed before it could end, or it cannot run "
      "under valgrind");
}

absl::Status drive(const targets::TargetProcess& target, const hotlap::v1::Experiment& experiment,
                   const std::vector<int>& cpus, uint32_t requests, Cancellation& cancellation) {
  std::string error;
  auto generator = load::Generator::start(cpus, 1, error);
  if (generator == nullptr) return absl::ResourceExhaustedError(error);
  auto spec = load_arm(target, experiment.workload());
  if (!spec.ok()) return spec.status();
  const size_t arm = generator->add_arm(*std::move(spec));
  Cancellation::Hook stop_load(cancellation, [&generator] { generator->cancel(); });
  const load::Opened opened = generator->open(arm);
  if (!opened.error.empty()) return absl::FailedPreconditionError(opened.error);
  PacedLoad paced(*generator, arm, target, cancellation);
  absl::Status status = paced.send(experiment.arms(0).name(), requests, [] {});
  paced.await_rest();
  return status;
}

}  // namespace

int64_t callgrind_total(std::string_view text) {
  int64_t total = 0;
  for (const std::string_view key : {"\ntotals: ", "\nsummary: "}) {
    const size_t at = text.rfind(key);
    if (at == std::string_view::npos) continue;
    std::string_view number = text.substr(at + key.size());
    number = number.substr(0, number.find_first_not_of("0123456789"));
    if (!absl::SimpleAtoi(std::string(number), &total)) total = 0;
  }
  return total;
}

absl::StatusOr<InstructionsResponse> count_instructions(const InstructionsRequest& request,
                                                        Cancellation& cancellation) {
  const std::string& name = request.arm().name();
  if (request.arm().target().has_url()) {
    return absl::InvalidArgumentError(
        absl::StrCat("arm ", name,
                     ": a url target runs already and cannot be run under callgrind: give it as a "
                     "cmd: target"));
  }
  if (request.requests() < 1 || request.requests() > kMaxRequests) {
    return absl::InvalidArgumentError(absl::StrCat("requests must be 1 to ", kMaxRequests));
  }
  absl::Status status = check_environment(request.arm());
  if (status.ok()) status = find_valgrind();
  if (!status.ok()) return status;
  hotlap::v1::Experiment experiment;
  *experiment.mutable_workload() = request.workload();
  experiment.mutable_workload()->set_connections(1);
  experiment.mutable_workload()->set_threads(1);
  // A request that waits for a slow target is slow and not wrong.
  if (!request.workload().has_timeout_ms()) experiment.mutable_workload()->set_timeout_ms(60000);
  auto workload = effective_workload(experiment.workload());
  if (!workload.ok()) return workload.status();
  *experiment.mutable_workload() = *std::move(workload);
  *experiment.mutable_placement() = request.placement();
  *experiment.add_arms() = request.arm();
  auto seat = Seat::take(experiment);
  if (!seat.ok()) return seat.status();
  Cancellation::Hook end_targets(cancellation, [&seat] { (*seat)->spawner().end_all(); });
  targets::LaunchOptions options = (*seat)->launch_options(0, 0);
  options.arm = name;
  options.start_timeout = kStartTime;
  options.wrapper = {"valgrind", "--tool=callgrind", "--trace-children=yes",
                     absl::StrCat("--callgrind-out-file=", (*seat)->directory(), "/callgrind.%p")};
  const auto clock = capture::find_beside(capture::kStillClockLibrary);
  if (clock.ok()) capture::add_preload(*clock, options.environment);
  auto target = (*seat)->spawner().launch(target_spec(request.arm().target()), options);
  if (cancellation.raised()) return absl::CancelledError("cancelled");
  if (!target.ok()) return of_arm(name, target.status());
  InstructionsResponse response;
  *response.mutable_effective() = experiment.workload();
  response.set_pipeline((*target)->echo());
  response.set_clock_runs(clock.ok() ? "" : std::string(clock.status().message()));
  for (const pid_t pid : (*target)->tree()) {
    if (!clock.ok() || capture::has_mapped(pid, *clock)) continue;
    response.set_clock_runs("a program of it is linked statically or loads no library of ours");
  }
  status = check_preloaded((*target)->output_tail());
  if (status.ok() && request.arm().target().has_pipeline()) {
    status = check_echo(name, request.arm().target().pipeline(), response.pipeline());
  }
  if (status.ok()) {
    status = drive(**target, experiment, (*seat)->placement().load_cpus, request.requests(),
                   cancellation);
  }
  if (cancellation.raised()) return absl::CancelledError("cancelled");
  if (!status.ok()) return of_arm(name, status);
  (*target)->stop(kStopTime);
  if (cancellation.raised()) return absl::CancelledError("cancelled");
  auto total = total_of((*seat)->directory());
  if (!total.ok()) return of_arm(name, total.status());
  response.set_instructions(*total);
  return response;
}

}  // namespace hotlap::agent
