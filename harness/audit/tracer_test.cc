// The ladder's decisions; then both tracers on the tests' server: whole from its exec, threads and
// children too, and clear words where one is absent or forbidden.
#include "harness/audit/tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "harness/audit/trace.h"
#include "harness/capture/tracefs.h"
#include "harness/targets/testing.h"

namespace hotlap::audit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LadderTest : public ::testing::Test {
 protected:
  absl::StatusOr<ChosenTracer> choose(std::optional<TracerKind> forced = std::nullopt) {
    return choose_tracer(forced, [this](TracerKind kind) {
      asked_.push_back(kind);
      return says_[kind];
    });
  }
  std::map<TracerKind, absl::Status> says_;  // OK unless set
  std::vector<TracerKind> asked_;
};

TEST_F(LadderTest, StraceIsFirst) {
  const auto chosen = choose();
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->kind, TracerKind::kStrace);
  EXPECT_EQ(chosen->no_strace, "");
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(LadderTest, WhereItIsAbsentOrForbiddenTracepointsAreNext) {
  for (const auto& status :
       {absl::NotFoundError("not installed"), absl::PermissionDeniedError("may not trace")}) {
    says_[TracerKind::kStrace] = status;
    const auto chosen = choose();
    ASSERT_TRUE(chosen.ok()) << chosen.status();
    EXPECT_EQ(chosen->kind, TracerKind::kTracepoints);
    EXPECT_EQ(chosen->no_strace, std::string(status.message()));
  }
}

TEST_F(LadderTest, AnyOtherFailureIsNoReasonToFallBack) {
  says_[TracerKind::kStrace] = absl::FailedPreconditionError("invalid option");
  EXPECT_EQ(choose().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(LadderTest, WhereNeitherCanBeHadBothAreNamed) {
  says_[TracerKind::kStrace] = absl::NotFoundError("install strace");
  says_[TracerKind::kTracepoints] = absl::PermissionDeniedError("run as root");
  const absl::Status status = choose().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("install strace"), HasSubstr("run as root")));
}

TEST_F(LadderTest, AForcedOneIsAlone) {
  says_[TracerKind::kStrace] = absl::NotFoundError("install strace");
  EXPECT_EQ(choose(TracerKind::kStrace).status().code(), absl::StatusCode::kNotFound);
  const auto chosen = choose(TracerKind::kTracepoints);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->no_strace, "") << "it was not tried";
  EXPECT_EQ(asked_, (std::vector{TracerKind::kStrace, TracerKind::kTracepoints}));
}

TEST(TracerNamesTest, NamesAreReadBack) {
  for (const TracerKind kind : {TracerKind::kStrace, TracerKind::kTracepoints}) {
    const auto read = tracer_of(tracer_name(kind));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, kind);
  }
  EXPECT_EQ(*tracer_of(""), std::nullopt);
  EXPECT_EQ(tracer_of("dtrace").status().code(), absl::StatusCode::kInvalidArgument);
}

class TracingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "tracing-" + std::to_string(getpid()) + "-" +
                 std::to_string(++made_);
    std::filesystem::create_directories(directory_);
    spawner_ = targets::make_test_spawner();
    ASSERT_NE(spawner_, nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Launches a server under what Tracer::attach() makes of PATH.
  absl::Status launch(const std::string& mode, TracerKind kind = TracerKind::kStrace) {
    targets::LaunchOptions options = targets::test_options();
    options.traceable = true;
    options.before_exec = [this, kind](pid_t pid) -> absl::Status {
      auto tracer = Tracer::attach(*spawner_, pid, directory_ + "/trace", kind);
      if (!tracer.ok()) return tracer.status();
      tracer_ = *std::move(tracer);
      return absl::OkStatus();
    };
    auto target = spawner_->launch(targets::test_command(mode), options);
    if (!target.ok()) return target.status();
    target_ = *std::move(target);
    return absl::OkStatus();
  }

  // A program of that name, alone in PATH with the shell.
  void stand_in(const std::string& program, const std::string& script) {
    const std::string path = directory_ + "/" + program;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }

  static inline int made_ = 0;
  std::string directory_;
  std::unique_ptr<targets::Spawner> spawner_;
  std::unique_ptr<Tracer> tracer_;
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

class EachTracerTest : public TracingTest, public ::testing::WithParamInterface<TracerKind> {
 protected:
  // The calls of a server of that mode that was asked for `calls`; nothing where this machine does
  // not let us trace so.
  std::optional<Trace> trace(const std::string& mode, int calls) {
    const absl::Status launched = launch(mode, GetParam());
    if (GetParam() == TracerKind::kTracepoints && absl::IsFailedPrecondition(launched)) {
      reason_ = launched;
      return std::nullopt;
    }
    if (absl::IsNotFound(launched) || absl::IsPermissionDenied(launched)) {
      reason_ = launched;
      return std::nullopt;
    }
    EXPECT_TRUE(launched.ok()) << launched;
    if (!launched.ok()) return Trace();
    EXPECT_EQ(targets::ask(target_->endpoint(), "calls " + std::to_string(calls)), "done");
    const uint16_t port = target_->endpoint().port;
    target_->stop();
    auto trace = tracer_->take_trace(port);
    EXPECT_TRUE(trace.ok()) << trace.status();
    return trace.ok() ? *std::move(trace) : Trace();
  }

  absl::Status reason_;
};

TEST_P(EachTracerTest, AKnownNumberOfCallsIsTracedFromTheExecOn) {
  const auto found = trace("serve", 500);
  if (!found) GTEST_SKIP() << reason_;
  EXPECT_EQ(found->unread_lines, 0);
  EXPECT_EQ(known_calls(*found), 500);
}

TEST_P(EachTracerTest, ChildrenAreTracedToo) {
  const auto found = trace("fork", 100);
  if (!found) GTEST_SKIP() << reason_;
  EXPECT_EQ(known_calls(*found), 100);
}

INSTANTIATE_TEST_SUITE_P(Tracers, EachTracerTest,
                         ::testing::Values(TracerKind::kStrace, TracerKind::kTracepoints),
                         [](const auto& tracer) { return tracer_name(tracer.param); });

TEST_F(TracingTest, AbsentStraceHasARemedy) {
  const PathIs path(directory_);
  const absl::Status launched = launch("serve");
  EXPECT_EQ(launched.code(), absl::StatusCode::kNotFound) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("apt-get install strace"));
}

TEST_F(TracingTest, ForbiddenStraceHasARemedy) {
  stand_in("strace",
           "echo 'strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted' >&2; exit 1");
  const PathIs path(directory_);
  const absl::Status launched = launch("serve");
  EXPECT_EQ(launched.code(), absl::StatusCode::kPermissionDenied) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("kernel.yama.ptrace_scope"));
  EXPECT_THAT(std::string(launched.message()), HasSubstr("PTRACE_SEIZE"));
}

TEST_F(TracingTest, AnyOtherFailureIsShown) {
  stand_in("strace", "echo 'strace: invalid option --pidns-translation'; exit 1");
  const PathIs path(directory_);
  const absl::Status launched = launch("serve");
  EXPECT_EQ(launched.code(), absl::StatusCode::kFailedPrecondition) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("invalid option"));
}

TEST_F(TracingTest, AbsentPerfHasARemedy) {
  const PathIs path(directory_);
  const absl::Status launched = launch("serve", TracerKind::kTracepoints);
  EXPECT_EQ(launched.code(), absl::StatusCode::kNotFound) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("apt-get install linux-perf"));
}

TEST_F(TracingTest, ForbiddenTracepointsHaveARemedy) {
  if (!capture::find_tracefs().ok()) GTEST_SKIP() << capture::find_tracefs().status();
  stand_in("perf", "echo 'No permissions to read /sys/kernel/tracing/events/raw_syscalls' >&2");
  const PathIs path(directory_);
  const absl::Status launched = launch("serve", TracerKind::kTracepoints);
  EXPECT_EQ(launched.code(), absl::StatusCode::kPermissionDenied) << launched;
  EXPECT_THAT(std::string(launched.message()), HasSubstr("CAP_PERFMON"));
  EXPECT_THAT(std::string(launched.message()), HasSubstr("No permissions to read"));
}

}  // namespace
}  // namespace hotlap::audit
