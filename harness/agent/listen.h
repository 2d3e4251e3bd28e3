// Where an agent may listen, and the server that does. A Unix socket in a private directory needs
// nothing; TCP beyond loopback needs mutual TLS, without which the agent refuses.
#ifndef HOTLAP_HARNESS_AGENT_LISTEN_H_
#define HOTLAP_HARNESS_AGENT_LISTEN_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::agent {

struct ListenOptions {
  std::string address;                                     // "unix:/path" or "HOST:PORT"
  std::string certificate_path, key_path, client_ca_path;  // PEM; all three or none
};

// OK, or why this may not be: an address that others can reach, without certificates.
absl::Status check_listen(const ListenOptions& options);

// The agent, listening; `bound_address` becomes where ("127.0.0.1:41233").
absl::StatusOr<std::unique_ptr<grpc::Server>> start_agent(const ListenOptions& options,
                                                          grpc::Service& service,
                                                          std::string& bound_address);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_LISTEN_H_
