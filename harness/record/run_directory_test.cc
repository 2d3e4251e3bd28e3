// Files as promised, faults as values: what a crash, a full disk or a stranger's file does.
#include "harness/record/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace hotlap::record {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "hotlap-record-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    base_ = pattern;
  }
  void TearDown() override { fs::remove_all(base_); }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path base_;
};

hotlap::v1::Round small_round() {
  hotlap::v1::Round round;
  round.set_index(3);
  round.set_pass("timing");
  round.set_duration_ns(9);
  auto* arm = round.add_arms();
  arm->set_arm(1);
  arm->mutable_counts()->set_started(100);
  arm->mutable_counts()->set_ok(100);
  arm->set_cpu_ns(700);
  auto* bucket = arm->mutable_latency()->add_buckets();
  bucket->set_low_ns(10);
  bucket->set_high_ns(11);
  bucket->set_count(100);
  arm->set_latency_p50_ns(10);
  arm->set_latency_p90_ns(10);
  arm->mutable_latency()->set_min_ns(10);
  arm->mutable_latency()->set_max_ns(10);
  auto* calls = arm->add_syscalls_by_name();
  calls->set_name("recvfrom");
  calls->set_calls(100);
  auto* slice = round.add_slices();
  slice->set_arm(1);
  slice->set_duration_ns(5);
  return round;
}

TEST_F(RunDirectoryTest, ARoundBecomesRowsAndAbsentValuesStayEmpty) {
  auto directory = RunDirectory::create(base_ / "run", {"a", "b"});
  ASSERT_TRUE(directory.ok()) << directory.status();
  ASSERT_TRUE(directory->append(small_round()).ok());
  const std::string rounds = text_of(base_ / "run/rounds.csv");
  EXPECT_THAT(rounds,
              testing::HasSubstr("\ntiming,3,b,0,0,0,0,0,,100,100,0,0,0,0,0,0,0,0,0,,700,,"));
  EXPECT_THAT(rounds, testing::HasSubstr(",10,10,,,,,,9,,\n"));
  EXPECT_THAT(text_of(base_ / "run/latency.csv"),
              testing::HasSubstr("timing,3,b,10,11,100,10,10,0\n"));
  EXPECT_THAT(text_of(base_ / "run/slices.csv"), testing::HasSubstr("timing,3,0,0,0,b,0,5,"));
  EXPECT_THAT(text_of(base_ / "run/syscalls.csv"), testing::HasSubstr("timing,3,b,recvfrom,100\n"));
}

TEST_F(RunDirectoryTest, EachEventIsAColumn) {
  auto directory = RunDirectory::create(base_ / "run", {"a", "b"}, {"cycles", "page-faults"});
  ASSERT_TRUE(directory.ok()) << directory.status();
  hotlap::v1::Round round = small_round();
  auto* event = round.mutable_arms(0)->add_events();
  event->set_event("page-faults");
  event->set_count(77);
  ASSERT_TRUE(directory->append(round).ok());
  const std::string rounds = text_of(base_ / "run/rounds.csv");
  EXPECT_THAT(rounds, testing::HasSubstr(",void_arm,event:cycles,event:page-faults\n"));
  EXPECT_THAT(rounds, testing::HasSubstr(",9,,,,77\n"));
}

TEST_F(RunDirectoryTest, RowsHaveAsManyCellsAsTheirHeader) {
  auto directory = RunDirectory::create(base_ / "run", {"a", "b"}, {"cycles"});
  ASSERT_TRUE(directory.ok());
  ASSERT_TRUE(directory->append(small_round()).ok());
  for (const char* name :
       {"run/rounds.csv", "run/slices.csv", "run/latency.csv", "run/syscalls.csv"}) {
    std::istringstream lines(text_of(base_ / name));
    std::string line;
    std::getline(lines, line);
    const auto commas = std::count(line.begin(), line.end(), ',');
    int rows = 0;
    while (std::getline(lines, line)) {
      EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << name << ": " << line;
      ++rows;
    }
    EXPECT_EQ(rows, 1) << name;
  }
}

TEST_F(RunDirectoryTest, ADirectoryInUseIsNotOverwritten) {
  fs::create_directories(base_ / "run");
  std::ofstream(base_ / "run/precious") << "x";
  const auto directory = RunDirectory::create(base_ / "run", {"a"});
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(directory.status().ToString(), testing::HasSubstr("--out"));
}

TEST_F(RunDirectoryTest, AFullDeviceIsAnErrorThatNamesTheFile) {
  auto directory = RunDirectory::create(base_ / "run", {"a", "b"});
  ASSERT_TRUE(directory.ok());
  fs::remove(base_ / "run/latency.csv");
  fs::create_symlink("/dev/full", base_ / "run/latency.csv");
  const absl::Status status = directory->append(small_round());
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.ToString(), testing::HasSubstr("latency.csv"));
  // rounds.csv comes last, so that the round does not count as finished.
  EXPECT_THAT(text_of(base_ / "run/rounds.csv"), testing::Not(testing::HasSubstr("timing")));
}

TEST_F(RunDirectoryTest, RunJsonReadsBack) {
  auto directory = RunDirectory::create(base_ / "run", {"a"});
  ASSERT_TRUE(directory.ok());
  hotlap::v1::Run run;
  run.set_schema_version(kSchemaVersion);
  run.set_name("x");
  ASSERT_TRUE(directory->write_run(run).ok());
  const auto read = read_run(base_ / "run");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name(), "x");
  EXPECT_FALSE(fs::exists(base_ / "run/run.json.new"));
}

TEST_F(RunDirectoryTest, StrangersAreRefusedWithTheReason) {
  EXPECT_THAT(read_run(base_).status().ToString(), testing::HasSubstr("a run directory?"));
  std::ofstream(base_ / "run.json") << "{\"schema_version\": 7}";
  EXPECT_THAT(read_run(base_).status().ToString(), testing::HasSubstr("schema version 7"));
  std::ofstream(base_ / "run.json", std::ios::trunc) << "{\"schema_ver";
  EXPECT_THAT(read_run(base_).status().ToString(), testing::HasSubstr("damaged"));
}

TEST_F(RunDirectoryTest, TheTimesOfAnOpenPassAreRowsOfTheirOwn) {
  auto directory = RunDirectory::create(base_ / "run", {"a", "b"});
  ASSERT_TRUE(directory.ok()) << directory.status();
  hotlap::v1::OpenPass pass;
  pass.set_index(1);
  auto* arm = pass.add_arms();
  arm->set_arm(1);
  for (auto* latency : {arm->mutable_response_latency(), arm->mutable_service_latency()}) {
    auto* bucket = latency->add_buckets();
    bucket->set_low_ns(10);
    bucket->set_high_ns(11);
    bucket->set_count(5);
    latency->set_min_ns(10);
    latency->set_max_ns(11);
    latency->set_sum_ns(53);
  }
  ASSERT_TRUE(directory->append(pass).ok());
  EXPECT_EQ(text_of(base_ / "run" / "latency.csv"),
            "pass,round,arm,low_ns,high_ns,count,min_ns,max_ns,sum_ns\n"
            "open,1,b,10,11,5,10,11,53\n"
            "open_service,1,b,10,11,5,10,11,53\n");
}

}  // namespace
}  // namespace hotlap::record
