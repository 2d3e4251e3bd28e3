// A running target: its tree, its end noticed, and every way of stopping it.
#include "harness/targets/target_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "harness/targets/process_tree.h"
#include "harness/targets/testing.h"
#include "harness/targets/watched_process.h"

namespace hotlap::targets {
namespace {

using ::testing::HasSubstr;

class TargetProcessTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    spawner_ = make_test_spawner(GetParam());
    ASSERT_NE(spawner_, nullptr);
    if (GetParam() && !spawner_->pid_namespace_status().ok()) {
      GTEST_SKIP() << spawner_->pid_namespace_status();
    }
  }

  std::unique_ptr<TargetProcess> launch(const TargetSpec& spec) {
    auto target = spawner_->launch(spec, test_options());
    EXPECT_TRUE(target.ok()) << target.status();
    return target.ok() ? *std::move(target) : nullptr;
  }

  static void expect_gone(const std::vector<pid_t>& tree) {
    for (const pid_t pid : tree) EXPECT_TRUE(await_end(pid, absl::Milliseconds(1))) << pid;
  }

  std::unique_ptr<Spawner> spawner_;
};

INSTANTIATE_TEST_SUITE_P(Both, TargetProcessTest, ::testing::Bool(), [](const auto& info) {
  return info.param ? "PidNamespace" : "Subreaper";
});

TEST_P(TargetProcessTest, TreeHoldsRootFirstAndNoLauncher) {
  const auto target = launch(test_command("fork"));
  ASSERT_NE(target, nullptr);
  const std::vector<pid_t> tree = target->tree();
  ASSERT_EQ(tree.size(), 3u);
  EXPECT_EQ(tree.front(), target->pid());
  EXPECT_EQ(read_process_stat(tree[1])->parent, tree[0]);
  EXPECT_EQ(read_process_stat(tree[2])->parent, tree[1]);
  // The root ends by SIGTERM; its children, which were not asked, when the grace is over.
  EXPECT_THAT(target->stop(absl::Milliseconds(200)), HasSubstr("killed by signal 15"));
  EXPECT_TRUE(target->tree().empty());
  expect_gone(tree);
}

TEST_P(TargetProcessTest, StopIsOrderlyAndIdempotent) {
  const auto target = launch(test_pipeline("serve"));
  ASSERT_NE(target, nullptr);
  const std::vector<pid_t> tree = target->tree();
  EXPECT_THAT(target->stop(), HasSubstr("killed by signal 15"));
  EXPECT_THAT(target->stop(), HasSubstr("killed by signal 15"));
  EXPECT_FALSE(target->alive());
  expect_gone(tree);
}

TEST_P(TargetProcessTest, StubbornAndStoppedProcessesAreKilled) {
  for (const bool stopped : {false, true}) {
    const auto target = launch(test_pipeline(stopped ? "serve" : "stubborn"));
    ASSERT_NE(target, nullptr);
    const std::vector<pid_t> tree = target->tree();
    if (stopped) kill(target->pid(), SIGSTOP);
    // A stopped process dies of the SIGTERM that waited for it, at the moment of the SIGKILL.
    EXPECT_THAT(target->stop(absl::Milliseconds(100)),
                HasSubstr(stopped ? "killed by signal" : "killed by signal 9"));
    expect_gone(tree);
  }
}

TEST_P(TargetProcessTest, DaemonsEndWithTheirTarget) {
  auto target = launch(test_command("daemonise"));
  ASSERT_NE(target, nullptr);
  pollfd root_ended{target->exit_fd(), POLLIN, 0};
  ASSERT_EQ(poll(&root_ended, 1, 5000), 1);
  EXPECT_TRUE(target->alive());
  const std::vector<pid_t> tree = target->tree();
  ASSERT_EQ(tree.size(), 1u);
  target.reset();
  expect_gone(tree);
}

TEST_P(TargetProcessTest, DestructionKillsTheTree) {
  auto target = launch(test_command("fork"));
  ASSERT_NE(target, nullptr);
  const std::vector<pid_t> tree = target->tree();
  target.reset();
  expect_gone(tree);
}

TEST_P(TargetProcessTest, AKilledRootIsNoticedAndNamed) {
  const auto target = launch(test_pipeline("serve"));
  ASSERT_NE(target, nullptr);
  pollfd ended{target->exit_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&ended, 1, 0), 0);
  kill(target->pid(), SIGKILL);
  EXPECT_EQ(poll(&ended, 1, 2000), 1);
  target->stop();
  EXPECT_FALSE(target->alive());
  const std::string message(target->status().message());
  EXPECT_THAT(message, HasSubstr("arm b, pipeline \"serve\""));
  EXPECT_THAT(message, HasSubstr("killed by signal 9"));
}

TEST(OutputTailTest, KeepsTheLastBytes) {
  OutputTail tail;
  std::string all;
  for (int i = 0; i < 5000; ++i) {
    const std::string piece = std::to_string(i) + "\n";
    tail.append(piece.data(), piece.size());
    all += piece;
  }
  EXPECT_EQ(tail.text(), all.substr(all.size() - OutputTail::kBytes));
  const std::string big(20'000, 'q');
  tail.append(big.data(), big.size());
  EXPECT_EQ(tail.text(), std::string(OutputTail::kBytes, 'q'));
}

}  // namespace
}  // namespace hotlap::targets
