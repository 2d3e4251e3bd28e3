// The RPCs, each a thin frame around one part; see agent_service.h.
#include "harness/agent/agent_service.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "harness/agent/audit_arm.h"
#include "harness/agent/cancellation.h"
#include "harness/agent/effective.h"
#include "harness/agent/environment_message.h"
#include "harness/agent/gate.h"
#include "harness/agent/instruction_count.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/open_pass.h"
#include "harness/agent/plain_load.h"
#include "harness/agent/profile_arms.h"
#include "harness/agent/round_runner.h"
#include "harness/agent/seat.h"
#include "harness/targets/placement.h"

namespace hotlap::agent {
namespace {

grpc::Status busy() {
  return grpc::Status(grpc::StatusCode::UNAVAILABLE,
                      "this agent is at work for another caller: wait, or start an agent of your "
                      "own");
}

grpc::Status not_set_up() {
  return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "no experiment is set up: call Setup");
}

}  // namespace

grpc::Status grpc_status(const absl::Status& status) {
  // Both number their codes alike.
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

// The targets of a cancelled call were ended, and its spawner starts no more.
grpc::Status AgentService::cancelled() {
  prepared_.reset();
  return grpc::Status(grpc::StatusCode::CANCELLED, "cancelled");
}

grpc::Status AgentService::Describe(grpc::ServerContext*, const hotlap::v1::DescribeRequest*,
                                    hotlap::v1::DescribeResponse* response) {
  *response = describe_host();
  return grpc::Status::OK;
}

grpc::Status AgentService::Setup(grpc::ServerContext* context,
                                 const hotlap::v1::SetupRequest* request,
                                 hotlap::v1::SetupResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  prepared_.reset();
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  auto prepared = prepare(request->experiment(), cancellation);
  if (!prepared.ok()) return grpc_status(prepared.status());
  prepared_ = *std::move(prepared);
  *response->mutable_effective() = prepared_->effective;
  for (const auto& echo : prepared_->echoes) *response->add_echoes() = echo;
  for (const std::string& note : prepared_->notes) response->add_notes(note);
  response->set_counted(prepared_->counting.words(0));
  response->set_syscall_source(prepared_->counting.syscall_source());
  return grpc::Status::OK;
}

grpc::Status AgentService::Verify(grpc::ServerContext* context,
                                  const hotlap::v1::VerifyRequest* request,
                                  hotlap::v1::VerifyResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  if (!prepared_) return not_set_up();
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  auto summary = run_gate(*prepared_, request->full(), cancellation);
  if (cancellation.raised()) return cancelled();
  if (!summary.ok()) return grpc_status(summary.status());
  *response->mutable_summary() = *std::move(summary);
  return grpc::Status::OK;
}

RoundContext AgentService::round_context() {
  return {&prepared_->effective,  prepared_->seat.get(), prepared_->cpu_source,
          prepared_->has_ballast, &prepared_->counting,  prepared_->replay};
}

grpc::Status AgentService::RunRound(grpc::ServerContext* context,
                                    const hotlap::v1::RoundRequest* request,
                                    hotlap::v1::RoundResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  if (!prepared_) return not_set_up();
  constexpr std::array<absl::string_view, 4> kPasses = {kTimingPass, kCountingPass, kEventsPass,
                                                        kCostPass};
  if (std::find(kPasses.begin(), kPasses.end(), request->pass()) == kPasses.end()) {
    return grpc_status(absl::InvalidArgumentError(
        absl::StrCat("pass \"", request->pass(), "\" is none of ", absl::StrJoin(kPasses, ", "))));
  }
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  auto round = run_round(round_context(), request->pass(), request->index(), cancellation);
  if (cancellation.raised()) return cancelled();
  if (!round.ok()) return grpc_status(round.status());
  *response->mutable_round() = *std::move(round);
  *response->mutable_effective() = prepared_->effective;
  return grpc::Status::OK;
}

grpc::Status AgentService::RunOpenPass(grpc::ServerContext* context,
                                       const hotlap::v1::OpenPassRequest* request,
                                       hotlap::v1::OpenPassResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  if (!prepared_) return not_set_up();
  if (!prepared_->effective.has_open_passes()) {
    return grpc_status(absl::FailedPreconditionError("the experiment has no open passes"));
  }
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  auto pass = run_open_pass(round_context(), request->index(), cancellation);
  if (cancellation.raised()) return cancelled();
  if (!pass.ok()) return grpc_status(pass.status());
  *response->mutable_pass() = *std::move(pass);
  *response->mutable_effective() = prepared_->effective;
  return grpc::Status::OK;
}

grpc::Status AgentService::Audit(grpc::ServerContext* context,
                                 const hotlap::v1::AuditRequest* request,
                                 hotlap::v1::AuditResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  auto audit = audit_arm(*request, cancellation);
  if (cancellation.raised()) return cancelled();
  if (!audit.ok()) return grpc_status(audit.status());
  *response = *std::move(audit);
  return grpc::Status::OK;
}

grpc::Status AgentService::CountInstructions(grpc::ServerContext* context,
                                             const hotlap::v1::InstructionsRequest* request,
                                             hotlap::v1::InstructionsResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  auto counted = count_instructions(*request, cancellation);
  if (cancellation.raised()) return cancelled();
  if (!counted.ok()) return grpc_status(counted.status());
  *response = *std::move(counted);
  return grpc::Status::OK;
}

grpc::Status AgentService::Profile(grpc::ServerContext* context,
                                   const hotlap::v1::ProfileRequest* request,
                                   hotlap::v1::ProfileResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  auto profile = profile_arms(*request, cancellation);
  if (cancellation.raised()) return cancelled();
  if (!profile.ok()) return grpc_status(profile.status());
  *response->mutable_profile() = *std::move(profile);
  return grpc::Status::OK;
}

grpc::Status AgentService::Load(grpc::ServerContext* context,
                                const hotlap::v1::LoadRequest* request,
                                grpc::ServerWriter<hotlap::v1::LoadResponse>* writer) {
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return busy();
  Cancellation cancellation;
  const CallWatch watch(*context, cancellation);
  Cancellation stop;
  const auto set_stop = [this](Cancellation* of_load) {
    const std::lock_guard<std::mutex> guard(stop_mutex_);
    stop_load_ = of_load;
  };
  set_stop(&stop);
  const absl::Status status =
      plain_load(*request, cancellation, stop,
                 [writer](const auto& response) { return writer->Write(response); });
  set_stop(nullptr);
  return grpc_status(status);
}

grpc::Status AgentService::StopLoad(grpc::ServerContext*, const hotlap::v1::StopLoadRequest*,
                                    hotlap::v1::StopLoadResponse* response) {
  const std::lock_guard<std::mutex> guard(stop_mutex_);
  if (stop_load_ != nullptr) stop_load_->raise();
  response->set_stopped(stop_load_ != nullptr);
  return grpc::Status::OK;
}

}  // namespace hotlap::agent
