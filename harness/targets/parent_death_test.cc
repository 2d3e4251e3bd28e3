// Whatever ends the process that owns a Spawner, and however, its targets end with it: children,
// grandchildren, daemons, and those that ignore SIGTERM or are stopped.
// tidy: allow test-beside: it is about spawner, launcher and watcher together
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <tuple>
#include <vector>

#include "harness/capture/unique_fd.h"
#include "harness/targets/testing.h"

namespace hotlap::targets {
namespace {

using Case = std::tuple<bool, std::string>;

// The stand-in of an agent: launches, tells the pids of the tree, waits to be killed.
[[noreturn]] void run_owner(bool pid_namespace, const std::string& mode, int report) {
  const auto spawner = make_test_spawner(pid_namespace);
  if (spawner == nullptr) _exit(3);
  if (pid_namespace && !spawner->pid_namespace_status().ok()) _exit(4);
  const auto target = spawner->launch(test_command(mode), test_options());
  if (!target.ok()) _exit(5);
  if (mode == "daemonise" && !await_end((*target)->pid(), absl::Seconds(5))) _exit(6);
  for (const pid_t pid : (*target)->tree()) (void)!write(report, &pid, sizeof pid);
  close(report);
  alarm(60);
  while (true) pause();
}

class ParentDeathTest : public ::testing::TestWithParam<Case> {
 protected:
  // Pids of the tree; empty when the owner could not launch.
  std::vector<pid_t> start_owner() {
    const auto& [pid_namespace, mode] = GetParam();
    int report[2];
    if (pipe(report) != 0) return {};
    owner_ = fork();
    if (owner_ == 0) {
      close(report[0]);
      run_owner(pid_namespace, mode, report[1]);
    }
    close(report[1]);
    const capture::UniqueFd end(report[0]);
    std::vector<pid_t> tree;
    pid_t pid = 0;
    while (read(end.get(), &pid, sizeof pid) == sizeof pid) tree.push_back(pid);
    return tree;
  }

  int end_owner(int signal) {
    kill(owner_, signal);
    int status = 0;
    waitpid(owner_, &status, 0);
    return status;
  }

  pid_t owner_ = 0;
};

INSTANTIATE_TEST_SUITE_P(All, ParentDeathTest,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values("serve", "fork", "daemonise",
                                                              "stubborn")),
                         [](const auto& info) {
                           const bool pid_namespace = std::get<0>(info.param);
                           return std::get<1>(info.param) +
                                  (pid_namespace ? "PidNamespace" : "Subreaper");
                         });

TEST_P(ParentDeathTest, KillTakesTheWholeTree) {
  for (const int signal : {SIGKILL, SIGTERM, SIGABRT}) {
    const std::vector<pid_t> tree = start_owner();
    if (tree.empty()) {
      const int status = end_owner(SIGKILL);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 4) GTEST_SKIP() << "no PID namespaces here";
      FAIL() << "the owner could not launch";
    }
    EXPECT_FALSE(await_end(tree.back(), absl::ZeroDuration()));
    if (signal == SIGKILL) kill(tree.back(), SIGSTOP);
    end_owner(signal);
    for (const pid_t pid : tree) EXPECT_TRUE(await_end(pid, absl::Seconds(5))) << pid;
  }
}

}  // namespace
}  // namespace hotlap::targets
