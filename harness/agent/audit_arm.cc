// The course of an audit; see audit_arm.h.
#include "harness/agent/audit_arm.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "harness/agent/arm_environment.h"
#include "harness/agent/audit_faults.h"
#include "harness/agent/effective.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/paced_load.h"
#include "harness/agent/seat.h"
#include "harness/agent/setup.h"
#include "harness/audit/phases.h"
#include "harness/audit/tracer.h"
#include "harness/load/clock.h"
#include "harness/load/generator.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::AuditRequest;
using hotlap::v1::AuditResponse;

constexpr uint32_t kDefaultRequests = 64;
constexpr uint32_t kMaxRequests = 10000;
// A timer that fires once a second shows itself.
constexpr uint32_t kDefaultIdleMs = 1100;
constexpr uint32_t kMaxIdleMs = 60000;
constexpr absl::Duration kStartTime = absl::Seconds(60);  // a tracer slows a start-up down
constexpr absl::Duration kStopTime = absl::Seconds(10);

class ArmAuditor {
 public:
  ArmAuditor(const AuditRequest& request, Cancellation& cancellation)
      : request_(request), cancellation_(cancellation) {}

  absl::StatusOr<AuditResponse> run();

 private:
  absl::Status settle();
  absl::Status launch();
  absl::Status load();
  absl::Status drive(load::Generator& generator, size_t arm);
  absl::StatusOr<hotlap::v1::ArmAudit> found();
  absl::Status of_arm(const absl::Status& status) const;
  int64_t now_ns() const { return load::clock_ns(tracer_->clock()); }

  const AuditRequest& request_;
  Cancellation& cancellation_;
  hotlap::v1::Experiment experiment_;
  uint32_t requests_ = 0;
  absl::Duration idle_;
  std::unique_ptr<Seat> seat_;
  std::optional<audit::TracerKind> forced_;
  std::unique_ptr<audit::Tracer> tracer_;
  std::unique_ptr<targets::TargetProcess> target_;
  audit::Marks marks_;
};

absl::Status ArmAuditor::of_arm(const absl::Status& status) const {
  return agent::of_arm(request_.arm().name(), status);
}

absl::Status ArmAuditor::settle() {
  if (request_.arm().target().has_url()) {
    return absl::InvalidArgumentError(
        "a url target runs already and cannot be traced from its beginning: give it as a cmd: "
        "target");
  }
  requests_ = request_.has_requests() ? request_.requests() : kDefaultRequests;
  if (requests_ < 2 || requests_ > kMaxRequests) {
    return absl::InvalidArgumentError(
        absl::StrCat("an audit of ", requests_, " requests: it takes 2 to ", kMaxRequests));
  }
  const auto forced = audit::tracer_of(request_.tracer());
  if (!forced.ok()) return forced.status();
  forced_ = *forced;
  const uint32_t idle_ms = request_.has_idle_ms() ? request_.idle_ms() : kDefaultIdleMs;
  if (idle_ms > kMaxIdleMs) {
    return absl::InvalidArgumentError(
        absl::StrCat("an idle stretch of ", idle_ms, " ms: at most ", kMaxIdleMs));
  }
  idle_ = absl::Milliseconds(idle_ms);
  hotlap::v1::Workload asked = request_.workload();
  asked.set_connections(1);
  asked.set_threads(1);
  auto workload = effective_workload(asked);
  if (!workload.ok()) return workload.status();
  *experiment_.mutable_workload() = *std::move(workload);
  *experiment_.mutable_placement() = request_.placement();
  *experiment_.add_arms() = request_.arm();
  absl::Status environment = check_environment(request_.arm());
  if (!environment.ok()) return environment;
  auto seat = Seat::take(experiment_);
  if (!seat.ok()) return seat.status();
  seat_ = *std::move(seat);
  return absl::OkStatus();
}

absl::Status ArmAuditor::launch() {
  targets::LaunchOptions options = seat_->launch_options(0, 0);
  options.arm = request_.arm().name();
  options.start_timeout = kStartTime;
  options.traceable = true;
  options.before_exec = [this](pid_t pid) -> absl::Status {
    auto tracer =
        audit::Tracer::attach(seat_->spawner(), pid, seat_->directory() + "/trace", forced_);
    if (!tracer.ok()) return tracer.status();
    tracer_ = *std::move(tracer);
    return absl::OkStatus();
  };
  auto target = seat_->spawner().launch(target_spec(request_.arm().target()), options);
  if (!target.ok()) return target.status();
  target_ = *std::move(target);
  marks_.port = target_->endpoint().port;
  return absl::OkStatus();
}

absl::Status ArmAuditor::drive(load::Generator& generator, size_t arm) {
  PacedLoad paced(generator, arm, *target_, cancellation_);
  paced.await_rest();
  marks_.connect_ns = now_ns();
  const load::Opened opened = generator.open(arm);
  if (!opened.error.empty()) return absl::FailedPreconditionError(opened.error);
  // One request more than asked for ends the last one's wait.
  const absl::Status sent = paced.send(request_.arm().name(), requests_ + 1,
                                       [this] { marks_.requests_ns.push_back(now_ns()); });
  if (!sent.ok()) return sent;
  marks_.closing_ns = marks_.requests_ns.back();
  marks_.requests_ns.pop_back();
  paced.await_rest();
  marks_.idle_begin_ns = now_ns();
  target_->await_end(idle_);  // the stretch without load: ends early only with the target
  marks_.idle_end_ns = now_ns();
  marks_.quiet = paced.rests();
  generator.close(arm);
  return absl::OkStatus();
}

absl::Status ArmAuditor::load() {
  std::string error;
  auto generator = load::Generator::start(seat_->placement().load_cpus, 1, error);
  if (generator == nullptr) return absl::ResourceExhaustedError(error);
  auto spec = load_arm(*target_, experiment_.workload());
  if (!spec.ok()) return spec.status();
  const size_t arm = generator->add_arm(*std::move(spec));
  Cancellation::Hook stop_load(cancellation_, [&generator] { generator->cancel(); });
  const absl::Status status = drive(*generator, arm);
  const absl::Status alive = target_->status();
  return alive.ok() || absl::IsCancelled(status) ? status : alive;
}

absl::StatusOr<hotlap::v1::ArmAudit> ArmAuditor::found() {
  auto trace = tracer_->take_trace(marks_.port);
  if (!trace.ok()) return trace.status();
  auto audit = audit::divide(*trace, marks_);
  if (!audit.ok()) return audit;
  audit->set_tracer(audit::tracer_name(tracer_->kind()));
  for (const std::string& note : tracer_->notes()) audit->add_notes(note);
  return audit;
}

absl::StatusOr<AuditResponse> ArmAuditor::run() {
  absl::Status status = settle();
  if (!status.ok()) return of_arm(status);
  AuditResponse response;
  *response.mutable_effective() = experiment_.workload();
  Cancellation::Hook end_targets(cancellation_, [this] { seat_->spawner().end_all(); });
  status = launch();
  if (status.ok()) status = load();
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  if (!status.ok()) return of_arm(status);
  status = check_preloaded(target_->output_tail());
  if (!status.ok()) return of_arm(status);
  const std::string echo = target_->echo();
  if (request_.arm().target().has_pipeline()) {
    status = check_echo(request_.arm().name(), request_.arm().target().pipeline(), echo);
    if (!status.ok()) return of_arm(status);
  }
  target_->stop(kStopTime);
  marks_.end_ns = now_ns();
  auto calls = found();
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  if (!calls.ok()) return of_arm(calls.status());
  *response.mutable_audit() = *std::move(calls);
  auto& audit = *response.mutable_audit();
  audit.set_arm(request_.arm().name());
  audit.set_asked(environment_words(request_.arm()) + target_spec(request_.arm().target()).value);
  audit.set_pipeline(echo);
  audit.set_requests(requests_);
  if (request_.faults()) {
    target_.reset();
    *audit.mutable_faults() = audit_faults(*seat_, experiment_, requests_, cancellation_);
    if (cancellation_.raised()) return absl::CancelledError("cancelled");
  }
  return response;
}

}  // namespace

absl::StatusOr<AuditResponse> audit_arm(const AuditRequest& request, Cancellation& cancellation) {
  return ArmAuditor(request, cancellation).run();
}

}  // namespace hotlap::agent
