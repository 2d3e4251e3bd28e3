// See audit_faults.h.
#include "harness/agent/audit_faults.h"

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/agent/arm_process.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/paced_load.h"
#include "harness/audit/fault_record.h"
#include "harness/audit/fault_script.h"
#include "harness/capture/whole_file.h"
#include "harness/load/generator.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::AuditFaults;

std::map<pid_t, audit::Mappings> mappings_of(const std::vector<pid_t>& processes) {
  std::map<pid_t, audit::Mappings> all;
  for (const pid_t pid : processes) {
    const auto maps = capture::read_whole_file(absl::StrCat("/proc/", pid, "/maps"));
    all.emplace(pid, audit::Mappings(maps.value_or("")));
  }
  return all;
}

absl::StatusOr<AuditFaults> record(Seat& seat, const hotlap::v1::Experiment& experiment,
                                   uint32_t requests, Cancellation& cancellation) {
  const auto& arm = experiment.arms(0);
  auto launched =
      ArmProcess::launch(seat.spawner(), arm, seat.launch_options(0, 0), CpuSource::kNone, {});
  if (!launched.ok()) return launched.status();
  const targets::TargetProcess& target = (*launched)->process();
  std::string error;
  auto generator = load::Generator::start(seat.placement().load_cpus, 1, error);
  if (generator == nullptr) return absl::ResourceExhaustedError(error);
  auto spec = load_arm(target, experiment.workload());
  if (!spec.ok()) return spec.status();
  const size_t index = generator->add_arm(*std::move(spec));
  Cancellation::Hook stop_load(cancellation, [&generator] { generator->cancel(); });
  const load::Opened opened = generator->open(index);
  if (!opened.error.empty()) return absl::FailedPreconditionError(opened.error);
  PacedLoad paced(*generator, index, target, cancellation);
  absl::Status sent = paced.send(arm.name(), 1, [] {});  // code that is run for the first time
  if (!sent.ok()) return sent;
  paced.await_rest();
  auto recorded = audit::FaultRecord::attach(seat.spawner(), target.tree(), seat.directory());
  if (!recorded.ok()) return recorded.status();
  sent = paced.send(arm.name(), requests, [] {});
  if (!sent.ok()) return sent;
  paced.await_rest();
  const auto mappings = mappings_of(target.tree());
  const auto script = (*recorded)->take_script();
  if (!script.ok()) return script.status();
  return audit::fold_faults(audit::read_fault_script(*script), mappings, requests);
}

}  // namespace

AuditFaults audit_faults(Seat& seat, const hotlap::v1::Experiment& experiment, uint32_t requests,
                         Cancellation& cancellation) {
  auto found = record(seat, experiment, requests, cancellation);
  if (found.ok()) return *std::move(found);
  AuditFaults none;
  none.set_unavailable(std::string(found.status().message()));
  return none;
}

}  // namespace hotlap::agent
