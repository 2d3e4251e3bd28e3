// `hotlap agent`: the gRPC service, on this host's private socket or, with certificates, for
// another.
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "harness/agent/agent_service.h"
#include "harness/agent/listen.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"

namespace hotlap::cli {
namespace {

constexpr std::chrono::seconds kDrain{2};

int run_agent(const agent::ListenOptions& options) {
  // Blocked before any thread exists, so that the signal reaches only the descriptor.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
  agent::AgentService service;
  std::string address;
  auto server = agent::start_agent(options, service, address);
  if (!server.ok()) return fail(std::string(server.status().message()));
  printf("listening on %s\n", address.c_str());
  fflush(stdout);
  pollfd waiting{signal_fd, POLLIN, 0};
  while (poll(&waiting, 1, -1) < 0) {
  }
  // Calls under way are cancelled at the deadline, and with them their targets end.
  (*server)->Shutdown(std::chrono::system_clock::now() + kDrain);
  close(signal_fd);
  return kExitDone;
}

}  // namespace

void add_agent_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("agent", "serve a controller: own targets, counters and load");
  command->footer(
      "Beyond loopback it listens only with mutual TLS.\n"
      "Example: hotlap agent --listen 127.0.0.1:0");
  auto options = std::make_shared<agent::ListenOptions>();
  command->add_option("--listen", options->address, "unix:/path or HOST:PORT")->required();
  command->add_option("--tls-cert", options->certificate_path, "this agent's certificate, PEM");
  command->add_option("--tls-key", options->key_path, "its private key, PEM");
  command->add_option("--tls-client-ca", options->client_ca_path,
                      "the authority that controllers' certificates must come from, PEM");
  command->callback([options, &invocation] { invocation.exit_code = run_agent(*options); });
}

}  // namespace hotlap::cli
