// Launching: readiness of every kind, every way in which a target fails to start, and what it
// inherits. Each case runs with a PID namespace (where allowed) and with the subreaper.
#include "harness/targets/spawner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "harness/targets/listeners.h"
#include "harness/targets/placement.h"
#include "harness/targets/testing.h"

namespace hotlap::targets {
namespace {

using ::testing::HasSubstr;

class SpawnerTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    spawner_ = make_test_spawner(GetParam());
    ASSERT_NE(spawner_, nullptr);
    if (GetParam() && !spawner_->pid_namespace_status().ok()) {
      GTEST_SKIP() << spawner_->pid_namespace_status();
    }
  }

  absl::Status launch_error(const TargetSpec& spec, LaunchOptions options = test_options()) {
    const auto launched = spawner_->launch(spec, options);
    EXPECT_FALSE(launched.ok());
    return launched.status();
  }

  std::unique_ptr<Spawner> spawner_;
};

INSTANTIATE_TEST_SUITE_P(Both, SpawnerTest, ::testing::Bool(), [](const auto& info) {
  return info.param ? "PidNamespace" : "Subreaper";
});

TEST_P(SpawnerTest, PipelineAnnouncesAddressAndEcho) {
  const auto target = spawner_->launch(test_pipeline("serve"), test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ((*target)->endpoint().host, "127.0.0.1");
  EXPECT_EQ((*target)->echo(), "dispatch=test,mode=serve");
  EXPECT_EQ((*target)->program(), test_target_path());
  EXPECT_EQ(ask((*target)->endpoint(), "calls 1"), "done");
  EXPECT_TRUE((*target)->alive());
  EXPECT_TRUE((*target)->status().ok());
}

TEST_P(SpawnerTest, EndAllEndsALaunchThatWouldNeverFinish) {
  LaunchOptions options = test_options();
  options.start_timeout = absl::Seconds(60);
  options.before_exec = [&](pid_t) {
    spawner_->end_all();
    return absl::OkStatus();
  };
  const absl::Time begin = absl::Now();
  EXPECT_FALSE(spawner_->launch(test_command("silent"), options).ok());
  EXPECT_LT(absl::Now() - begin, absl::Seconds(30));
  EXPECT_EQ(spawner_->launch(test_command("serve"), test_options()).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_P(SpawnerTest, CommandIsReadyWhenItListens) {
  const auto target = spawner_->launch(test_command("serve"), test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(ask((*target)->endpoint(), "calls 1"), "done");
}

TEST_P(SpawnerTest, CommandMayBeAShellScript) {
  const TargetSpec spec{TargetKind::kCommand,
                        "cd / && P={port}; test -n \"$P\" && " + test_target_path() + " serve $P"};
  const auto target = spawner_->launch(spec, test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(ask((*target)->endpoint(), "calls 1"), "done");
}

TEST_P(SpawnerTest, CommandMayListenInAGrandchildOrADaemon) {
  for (const char* mode : {"fork", "daemonise"}) {
    const auto target = spawner_->launch(test_command(mode), test_options());
    ASSERT_TRUE(target.ok()) << mode << ": " << target.status();
    EXPECT_EQ(ask((*target)->endpoint(), "calls 1"), "done") << mode;
    EXPECT_TRUE((*target)->alive()) << mode;
  }
}

TEST_P(SpawnerTest, UrlStartsNothing) {
  const auto target = spawner_->launch({TargetKind::kUrl, "http://[::1]:8080/x"}, test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_FALSE((*target)->started_here());
  EXPECT_EQ((*target)->endpoint().to_string(), "[::1]:8080");
  EXPECT_EQ((*target)->pid(), 0);
  EXPECT_TRUE((*target)->tree().empty());
}

TEST_P(SpawnerTest, ExitAtOnceNamesArmCodeAndOutput) {
  for (const TargetSpec& spec : {test_pipeline("exit:3"), test_command("exit:3")}) {
    const absl::Status status = launch_error(spec);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    const std::string message(status.message());
    EXPECT_THAT(message, HasSubstr("arm b"));
    EXPECT_THAT(message, HasSubstr("exited with code 3"));
    EXPECT_THAT(message, HasSubstr("about to exit"));
    EXPECT_THAT(message, HasSubstr("cannot go on: no reason"));
  }
}

TEST_P(SpawnerTest, ExitWithZeroIsAFailureToo) {
  const absl::Status status = launch_error(test_command("exit:0"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("exited with code 0"));
}

TEST_P(SpawnerTest, CrashNamesTheSignal) {
  EXPECT_THAT(std::string(launch_error(test_pipeline("crash")).message()),
              HasSubstr("killed by signal 11"));
}

TEST_P(SpawnerTest, ProgramNotFound) {
  LaunchOptions options = test_options();
  options.program = "/no/such/program";
  const absl::Status direct = launch_error(test_pipeline("serve"), options);
  EXPECT_EQ(direct.code(), absl::StatusCode::kNotFound) << direct;
  EXPECT_THAT(std::string(direct.message()), HasSubstr("/no/such/program"));
  const absl::Status shell = launch_error({TargetKind::kCommand, "/no/such/server {port}"});
  EXPECT_EQ(shell.code(), absl::StatusCode::kNotFound) << shell;
  EXPECT_THAT(std::string(shell.message()), HasSubstr("/no/such/server"));
}

TEST_P(SpawnerTest, UnknownReferenceServerListsWhatThereIs) {
  LaunchOptions options;
  options.bin_directory = "/";
  const absl::Status status = launch_error({TargetKind::kServer, "nope"}, options);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("there are: asio, floor"));
}

TEST_P(SpawnerTest, NeverListens) {
  LaunchOptions options = test_options();
  options.start_timeout = absl::Milliseconds(300);
  for (const TargetSpec& spec : {test_pipeline("silent"), test_command("silent")}) {
    const absl::Status status = launch_error(spec, options);
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("300ms"));
  }
}

TEST_P(SpawnerTest, ListensElsewhereSaysWhere) {
  LaunchOptions options = test_options();
  options.start_timeout = absl::Milliseconds(500);
  const absl::Status status = launch_error(test_command("elsewhere"), options);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("listens on 127.0.0.1:"));
}

TEST_P(SpawnerTest, GarbledAnnouncementIsShown) {
  EXPECT_THAT(std::string(launch_error(test_pipeline("garbled")).message()),
              HasSubstr("hello there"));
}

TEST_P(SpawnerTest, PortTaken) {
  const auto first = spawner_->launch(test_command("serve"), test_options());
  ASSERT_TRUE(first.ok()) << first.status();
  LaunchOptions options = test_options();
  options.port = (*first)->endpoint().port;
  const absl::Status status = launch_error(test_command("serve"), options);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is taken"));
}

TEST_P(SpawnerTest, CommandWithoutPortIsRefused) {
  const absl::Status status = launch_error({TargetKind::kCommand, "sleep 5"});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("{port}"));
}

TEST_P(SpawnerTest, EnvironmentAndPadding) {
  LaunchOptions options = test_options();
  options.padding_bytes = 1234;
  options.environment = {{"HOTLAP_TEST", "given"}};
  const auto target = spawner_->launch(test_pipeline("environment"), options);
  ASSERT_TRUE(target.ok()) << target.status();
  (*target)->stop();
  EXPECT_THAT((*target)->output_tail(), HasSubstr("padding 1234 given given"));
}

TEST_P(SpawnerTest, AffinityIsSetBeforeExec) {
  const auto topology = read_cpu_topology();
  ASSERT_TRUE(topology.ok());
  LaunchOptions options = test_options();
  options.cpus = {topology->allowed.back()};
  const auto target = spawner_->launch(test_pipeline("serve"), options);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(ask((*target)->endpoint(), "affinity"), std::to_string(topology->allowed.back()));
}

TEST_P(SpawnerTest, ImpossibleAffinityIsAnError) {
  LaunchOptions options = test_options();
  options.cpus = {1000};
  const absl::Status status = launch_error(test_pipeline("serve"), options);
  EXPECT_THAT(std::string(status.message()), HasSubstr("CPUs asked for"));
}

TEST_P(SpawnerTest, BeforeExecSeesTheHostPidAndMayRefuse) {
  pid_t seen = 0;
  LaunchOptions options = test_options();
  std::string program_before;
  options.before_exec = [&](pid_t pid) {
    seen = pid;
    std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
    std::getline(comm, program_before);
    return absl::OkStatus();
  };
  const auto target = spawner_->launch(test_pipeline("serve"), options);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(seen, (*target)->pid());
  EXPECT_EQ(program_before, "hotlap-launch");
  options.before_exec = [](pid_t) { return absl::UnavailableError("no counters"); };
  EXPECT_THAT(std::string(launch_error(test_pipeline("serve"), options).message()),
              HasSubstr("no counters"));
}

TEST_P(SpawnerTest, InheritsOnlyTheThreeStandardDescriptors) {
  const TargetSpec spec{TargetKind::kCommand,
                        "ls -l /proc/self/fd >&2; exec " + test_target_path() + " serve {port}"};
  const auto target = spawner_->launch(spec, test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  const std::string tail = (*target)->output_tail();
  EXPECT_THAT(tail, HasSubstr("0 -> /dev/null"));
  EXPECT_THAT(tail, ::testing::Not(HasSubstr("socket:")));
}

TEST_P(SpawnerTest, AChattyTargetNeverBlocks) {
  const auto target = spawner_->launch(test_pipeline("spam"), test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(ask((*target)->endpoint(), "burn 2 1"), "done");
  EXPECT_EQ((*target)->output_tail().size(), 4096u);
}

TEST_P(SpawnerTest, SpawnerEndsBeforeItsTargets) {
  auto launched = spawner_->launch(test_command("fork"), test_options());
  ASSERT_TRUE(launched.ok()) << launched.status();
  const std::vector<pid_t> tree = (*launched)->tree();
  EXPECT_EQ(tree.size(), 3u);
  spawner_.reset();
  for (const pid_t pid : tree) EXPECT_TRUE(await_end(pid, absl::Seconds(2))) << pid;
  EXPECT_FALSE((*launched)->alive());
}

}  // namespace
}  // namespace hotlap::targets
