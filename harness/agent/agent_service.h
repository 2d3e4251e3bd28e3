// The agent's RPCs. One run at a time: a second caller is told so at once.
#ifndef HOTLAP_HARNESS_AGENT_AGENT_SERVICE_H_
#define HOTLAP_HARNESS_AGENT_AGENT_SERVICE_H_

#include <mutex>
#include <optional>

#include "absl/status/status.h"
#include "harness/agent/cancellation.h"
#include "harness/agent/round_runner.h"
#include "harness/agent/setup.h"
#include "harness/proto/control.grpc.pb.h"

namespace hotlap::agent {

class AgentService final : public hotlap::v1::Agent::Service {
 public:
  grpc::Status Describe(grpc::ServerContext* context, const hotlap::v1::DescribeRequest* request,
                        hotlap::v1::DescribeResponse* response) override;
  grpc::Status Setup(grpc::ServerContext* context, const hotlap::v1::SetupRequest* request,
                     hotlap::v1::SetupResponse* response) override;
  grpc::Status Verify(grpc::ServerContext* context, const hotlap::v1::VerifyRequest* request,
                      hotlap::v1::VerifyResponse* response) override;
  grpc::Status RunRound(grpc::ServerContext* context, const hotlap::v1::RoundRequest* request,
                        hotlap::v1::RoundResponse* response) override;
  grpc::Status RunOpenPass(grpc::ServerContext* context, const hotlap::v1::OpenPassRequest* request,
                           hotlap::v1::OpenPassResponse* response) override;
  grpc::Status Audit(grpc::ServerContext* context, const hotlap::v1::AuditRequest* request,
                     hotlap::v1::AuditResponse* response) override;
  grpc::Status CountInstructions(grpc::ServerContext* context,
                                 const hotlap::v1::InstructionsRequest* request,
                                 hotlap::v1::InstructionsResponse* response) override;
  grpc::Status Profile(grpc::ServerContext* context, const hotlap::v1::ProfileRequest* request,
                       hotlap::v1::ProfileResponse* response) override;
  grpc::Status Load(grpc::ServerContext* context, const hotlap::v1::LoadRequest* request,
                    grpc::ServerWriter<hotlap::v1::LoadResponse>* writer) override;
  grpc::Status StopLoad(grpc::ServerContext* context, const hotlap::v1::StopLoadRequest* request,
                        hotlap::v1::StopLoadResponse* response) override;

 private:
  grpc::Status cancelled();
  RoundContext round_context();

  std::mutex mutex_;  // held by the call that runs
  std::optional<Prepared> prepared_;
  std::mutex stop_mutex_;
  Cancellation* stop_load_ = nullptr;  // of the load that runs
};

grpc::Status grpc_status(const absl::Status& status);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_AGENT_SERVICE_H_
