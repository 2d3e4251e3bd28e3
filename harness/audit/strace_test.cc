// strace on the tests' server: whole from its exec, threads and children too, and clear words where
// it is absent or forbidden.
#include "harness/audit/strace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/audit/trace.h"
#include "harness/targets/testing.h"

namespace hotlap::audit {
namespace {

using ::testing::HasSubstr;

class StraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "strace-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory_);
    spawner_ = targets::make_test_spawner();
    ASSERT_NE(spawner_, nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Launches a server under what attach() makes of PATH.
  absl::Status launch(const std::string& mode) {
    targets::LaunchOptions options = targets::test_options();
    options.traceable = true;
    options.before_exec = [this](pid_t pid) -> absl::Status {
      auto strace = Strace::attach(*spawner_, pid, directory_ + "/trace");
      if (!strace.ok()) return strace.status();
      strace_ = *std::move(strace);
      return absl::OkStatus();
    };
    auto target = spawner_->launch(targets::test_command(mode), options);
    if (!target.ok()) return target.status();
    target_ = *std::move(target);
    return absl::OkStatus();
  }

  // A program named strace, alone in PATH with the shell.
  void stand_in(const std::string& script) {
    const std::string path = directory_ + "/strace";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }

  std::string directory_;
  std::unique_ptr<targets::Spawner> spawner_;
  std::unique_ptr<Strace> strace_;
  std::unique_ptr<targets::TargetProcess> target_;
};

// Since the last exec: the shell before it asks for its parent too. -1 without an exec.
int known_calls(const Trace& trace) {
  int calls = -1;
  for (const TracedEvent& event : trace.events) {
    if (event.name == "execve" && event.result == "0") calls = 0;
    if (event.name == "getppid" && calls >= 0) ++calls;
  }
  return calls;
}

// PATH for one scope.
class PathIs {
 public:
  explicit PathIs(const std::string& path) : before_(std::getenv("PATH")) {
    setenv("PATH", path.c_str(), 1);
  }
  ~PathIs() { setenv("PATH", before_.c_str(), 1); }
  PathIs(const PathIs&) = delete;
  PathIs& operator=(const PathIs&) = delete;

 private:
  std::string before_;
};

TEST_F(StraceTest, AKnownNumberOfCallsIsTracedFromTheExecOn) {
  const absl::Status launched = launch("serve");
  if (absl::IsNotFound(launched) || absl::IsPermissionDenied(launched)) GTEST_SKIP() << launched;
  ASSERT_TRUE(launched.ok()) << launched;
  EXPECT_EQ(targets::ask(target_->endpoint(), "calls 500"), "done");
  target_->stop();
  const auto text = strace_->take_trace();
  ASSERT_TRUE(text.ok()) << text.status();
  const Trace trace = read_trace(*text);
  EXPECT_EQ(trace.unread_lines, 0);
  EXPECT_EQ(known_calls(trace), 500);
}

TEST_F(StraceTest, ChildrenAreTracedToo) {
  const absl::Status launched = launch("fork");
  if (absl::IsNotFound(launched) || absl::IsPermissionDenied(launched)) GTEST_SKIP() << launched;
  ASSERT_TRUE(launched.ok()) << launched;
  EXPECT_EQ(targets::ask(target_->endpoint(), "calls 100"), "done");
  target_->stop();
  const auto text = strace_->take_trace();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(known_calls(read_trace(*text)), 100);
}

TEST_F(StraceTest, AbsentStraceHasARemedy) {
  const PathIs path(directory_);
  const absl::Status launched = launch("serve");
  EXPECT_EQ(launched.code(), absl::StatusCode::kNotFound) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("apt-get install strace"));
}

TEST_F(StraceTest, ForbiddenStraceHasARemedy) {
  stand_in("echo 'strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted' >&2; exit 1");
  const PathIs path(directory_);
  const absl::Status launched = launch("serve");
  EXPECT_EQ(launched.code(), absl::StatusCode::kPermissionDenied) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("kernel.yama.ptrace_scope"));
  EXPECT_THAT(std::string(launched.message()), HasSubstr("PTRACE_SEIZE"));
}

TEST_F(StraceTest, AnyOtherFailureIsShown) {
  stand_in("echo 'strace: invalid option --pidns-translation'; exit 1");
  const PathIs path(directory_);
  const absl::Status launched = launch("serve");
  EXPECT_EQ(launched.code(), absl::StatusCode::kFailedPrecondition) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("invalid option"));
}

}  // namespace
}  // namespace hotlap::audit
