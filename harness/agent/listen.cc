// Credentials by address; see listen.h.
#include "harness/agent/listen.h"

#include <grpcpp/server_builder.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/agent/file_text.h"

namespace hotlap::agent {
namespace {

bool is_private(const std::string& address) {
  return absl::StartsWith(address, "unix:") || absl::StartsWith(address, "127.") ||
         absl::StartsWith(address, "[::1]:") || absl::StartsWith(address, "localhost:");
}

bool has_tls(const ListenOptions& options) {
  return !options.certificate_path.empty() && !options.key_path.empty() &&
         !options.client_ca_path.empty();
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials(const ListenOptions& options) {
  if (!has_tls(options)) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  auto certificate = read_file("--tls-cert", options.certificate_path);
  if (!certificate.ok()) return certificate.status();
  auto key = read_file("--tls-key", options.key_path);
  if (!key.ok()) return key.status();
  auto authority = read_file("--tls-client-ca", options.client_ca_path);
  if (!authority.ok()) return authority.status();
  tls.pem_root_certs = *authority;
  tls.pem_key_cert_pairs.push_back({*key, *certificate});
  return grpc::SslServerCredentials(tls);
}

}  // namespace

absl::Status check_listen(const ListenOptions& options) {
  if (options.address.empty()) {
    return absl::InvalidArgumentError("give --listen unix:/path, or --listen HOST:PORT");
  }
  const bool any_tls = !options.certificate_path.empty() || !options.key_path.empty() ||
                       !options.client_ca_path.empty();
  if (any_tls && !has_tls(options)) {
    return absl::InvalidArgumentError(
        "mutual TLS needs all of --tls-cert, --tls-key and --tls-client-ca");
  }
  if (!any_tls && !is_private(options.address)) {
    return absl::PermissionDeniedError(absl::StrCat(
        "the agent starts whatever it is told to, so that it listens on ", options.address,
        " only with mutual TLS: give --tls-cert, --tls-key and --tls-client-ca, or listen on "
        "127.0.0.1"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<grpc::Server>> start_agent(const ListenOptions& options,
                                                          grpc::Service& service,
                                                          std::string& bound_address) {
  absl::Status allowed = check_listen(options);
  if (!allowed.ok()) return allowed;
  auto secured = credentials(options);
  if (!secured.ok()) return secured.status();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(options.address, *secured, &port);
  // A second agent on one port would take half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(&service);
  builder.SetMaxReceiveMessageSize(-1);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", options.address, ": is it in use?"));
  }
  bound_address = options.address;
  if (!absl::StartsWith(options.address, "unix:")) {
    bound_address = absl::StrCat(options.address.substr(0, options.address.rfind(':')), ":", port);
  }
  return server;
}

}  // namespace hotlap::agent
