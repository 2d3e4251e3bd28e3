// perf at work on the tests' server, and clear words where it is absent, old or cannot sample.
#include "harness/profile/perf_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/profile/off_cpu.h"
#include "harness/profile/perf_script.h"
#include "harness/targets/testing.h"
#include "harness/targets/tool.h"

namespace hotlap::profile {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class PerfRecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "perf-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory_);
    spawner_ = targets::make_test_spawner();
    ASSERT_NE(spawner_, nullptr);
    if (const char* path = getenv("PATH")) path_ = path;
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(directory_);
  }

  // A program named perf, alone in PATH with the shell's directory.
  void stand_in(const std::string& script) {
    const std::string path = directory_ + "/perf";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
    setenv("PATH", directory_.c_str(), 1);
  }

  RecordOptions options(std::vector<pid_t> processes) const {
    return {.processes = std::move(processes),
            .cpus = {},
            .events = sampled("cpu-clock", std::min(10000u, max_frequency_hz())),
            .call_graph = CallGraph::kUnwindTables,
            .file = directory_ + "/data"};
  }

  std::string directory_;
  std::string path_;
  std::unique_ptr<targets::Spawner> spawner_;
};

TEST_F(PerfRecordTest, SamplesWhatATargetDoes) {
  const auto event = choose_event(*spawner_, directory_);
  if (!event.ok()) GTEST_SKIP() << event.status();
  auto target = spawner_->launch(targets::test_command("serve"), targets::test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  auto record = PerfRecord::attach(*spawner_, options((*target)->tree()));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_TRUE((*record)->status().ok());
  for (int i = 0; i < 500; ++i) targets::ask((*target)->endpoint(), "pid");
  (*record)->stop();
  EXPECT_TRUE((*target)->alive()) << "the target outlives its observer";
  auto text = (*record)->take_script();
  ASSERT_TRUE(text.ok()) << text.status();
  const Script script = read_script(*text);
  EXPECT_EQ(script.unread_lines, 0);
  ASSERT_THAT(script.samples, SizeIs(Gt(0u)));
  EXPECT_THAT(script.samples[0].frames, SizeIs(Gt(0u)));
}

TEST_F(PerfRecordTest, SeesATargetWait) {
  const auto event = choose_event(*spawner_, directory_);
  if (!event.ok()) GTEST_SKIP() << event.status();
  auto target = spawner_->launch(targets::test_command("serve"), targets::test_options());
  ASSERT_TRUE(target.ok()) << target.status();
  RecordOptions recorded = options((*target)->tree());
  recorded.events = switches(1);
  auto record = PerfRecord::attach(*spawner_, recorded);
  ASSERT_TRUE(record.ok()) << record.status();
  for (int i = 0; i < 50; ++i) targets::ask((*target)->endpoint(), "pid");
  (*record)->stop();
  auto text = (*record)->take_script();
  ASSERT_TRUE(text.ok()) << text.status();
  const Script script = read_script(*text);
  EXPECT_EQ(script.unread_lines, 0);
  const Waits found = read_waits(script, {});
  EXPECT_EQ(found.torn, 0);
  EXPECT_THAT(found.waits, SizeIs(Gt(0u)));
  const auto with_stack = std::count_if(found.waits.begin(), found.waits.end(), [](const Wait& w) {
    return w.kind == WaitKind::kSleep && w.sample != nullptr && !w.sample->frames.empty();
  });
  EXPECT_GT(with_stack, 0);
}

TEST_F(PerfRecordTest, AbsentPerfIsNamedWithItsPackage) {
  setenv("PATH", directory_.c_str(), 1);
  const auto event = choose_event(*spawner_, directory_);
  EXPECT_EQ(event.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(event.status().message()), HasSubstr("apt-get install linux-perf"));
}

TEST_F(PerfRecordTest, OldPerfIsRefused) {
  stand_in("echo perf version 5.10.2");
  const auto event = choose_event(*spawner_, directory_);
  EXPECT_THAT(std::string(event.status().message()), HasSubstr("5.16 or later"));
}

TEST_F(PerfRecordTest, WhatPerfSaidIsTold) {
  stand_in("echo 'Error: no luck' >&2; exit 7");
  const auto record = PerfRecord::attach(*spawner_, options({getpid()}));
  ASSERT_FALSE(record.ok());
  EXPECT_THAT(std::string(record.status().message()), HasSubstr("no luck"));
}

TEST_F(PerfRecordTest, AToolsOutputIsKeptAndItsFailureTold) {
  const auto text =
      targets::run_tool(*spawner_, {"echo", "two words"}, directory_ + "/out", absl::Seconds(20));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "two words\n");
  stand_in("echo half; echo broken >&2; exit 2");
  const auto failed =
      targets::run_tool(*spawner_, {"perf"}, directory_ + "/out", absl::Seconds(20));
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("exited with code 2: broken"));
  EXPECT_FALSE(targets::in_path("echo"));
}

TEST(PerfRecord, VersionsAreRead) {
  EXPECT_EQ(perf_version("perf version 6.1.192\n"), std::make_pair(6, 1));
  EXPECT_EQ(perf_version("perf version 5.16.g0abc"), std::make_pair(5, 16));
  EXPECT_EQ(perf_version("perf version next"), std::make_pair(0, 0));
  EXPECT_EQ(perf_version(""), std::make_pair(0, 0));
}

TEST(PerfRecord, ThisProgramHasUnwindTables) {
  EXPECT_TRUE(have_unwind_tables({getpid()}));
  EXPECT_GE(max_frequency_hz(), 1u);
}

}  // namespace
}  // namespace hotlap::profile
