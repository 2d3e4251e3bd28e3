// `hotlap agent`: the gRPC service, on this host's private socket or, with certificates, for
// another.
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "harness/agent/agent_service.h"
#include "harness/agent/listen.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"

namespace hotlap::cli {
namespace {

constexpr std::chrono::seconds kDrain{2};
constexpr unsigned kStopWithin_s = 8;

int serve(const agent::ListenOptions& options) {
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
  // Should anything hang on the way out, this ends us, and with us every launcher and target.
  alarm(kStopWithin_s);
  // Calls under way are cancelled at the deadline, and with them their targets end.
  (*server)->Shutdown(std::chrono::system_clock::now() + kDrain);
  close(signal_fd);
  return kExitDone;
}

// `private_directory`, where given, goes when the agent does.
int run_agent(const agent::ListenOptions& options, const std::string& private_directory) {
  const int code = serve(options);
  std::error_code ignored;
  if (!private_directory.empty()) std::filesystem::remove_all(private_directory, ignored);
  return code;
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
  auto directory = std::make_shared<std::string>();
  command->add_option("--private-directory", *directory, "removed when the agent ends")
      ->group("");  // for the command that starts its own agent
  command->callback([options, directory, &invocation] {
    invocation.exit_code = run_agent(*options, *directory);
  });
}

}  // namespace hotlap::cli
