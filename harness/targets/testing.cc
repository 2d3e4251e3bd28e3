// See testing.h.
#include "harness/targets/testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <iostream>

#include "absl/strings/str_cat.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::targets {

std::string test_launcher_path() { return HOTLAP_TEST_LAUNCHER; }
std::string test_target_path() { return HOTLAP_TEST_TARGET; }

std::unique_ptr<Spawner> make_test_spawner(bool allow_pid_namespace) {
  SpawnerOptions options;
  options.launcher = test_launcher_path();
  options.allow_pid_namespace = allow_pid_namespace;
  auto spawner = Spawner::create(options);
  if (!spawner.ok()) {
    std::cerr << spawner.status() << "\n";
    return nullptr;
  }
  return *std::move(spawner);
}

TargetSpec test_command(const std::string& mode) {
  return {TargetKind::kCommand, absl::StrCat(test_target_path(), " ", mode, " {port}")};
}

TargetSpec test_pipeline(const std::string& mode) { return {TargetKind::kPipeline, mode}; }

LaunchOptions test_options() {
  LaunchOptions options;
  options.arm = std::string("b");
  options.program = test_target_path();
  return options;
}

std::string ask(const Endpoint& endpoint, const std::string& order) {
  const capture::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  const std::string line = absl::StrCat(order, "\n");
  if (send(fd.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) return {};
  std::string reply;
  char buffer[256];
  ssize_t n;
  while ((n = read(fd.get(), buffer, sizeof buffer)) > 0) reply.append(buffer, n);
  while (!reply.empty() && reply.back() == '\n') reply.pop_back();
  return reply;
}

bool await_end(pid_t pid, absl::Duration patience) {
  const capture::UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!fd.valid()) return true;
  pollfd entry{fd.get(), POLLIN, 0};
  return poll(&entry, 1, static_cast<int>(absl::ToInt64Milliseconds(patience))) == 1;
}

}  // namespace hotlap::targets
