// Figures come back as they were saved, and those that say nothing about this machine do not.
#include "harness/record/micro_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace hotlap::record {
namespace {

using ::testing::HasSubstr;

constexpr char kCpu[] = "Example 9000 @ 3.00GHz";

class MicroFiguresTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "hotlap-micro-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ + "/state/hotlap/micro.json"; }
  void put(const std::string& text) {
    std::filesystem::create_directories(directory_ + "/state/hotlap");
    std::ofstream(path()) << text;
  }

 private:
  std::string directory_;
};

MicroFigures some_figures() {
  MicroFigures figures{.cpu_model = kCpu, .measured_at_unix_s = 1'800'000'000, .figures = {}};
  MicroFigure plain{.stage = "request_line", .variant = "scalar", .input = "browser"};
  plain.typical = true;
  plain.cpu_ns = 37.25;
  figures.figures.push_back(plain);
  MicroFigure counted{.stage = "request_line", .variant = "regex", .input = "curl"};
  counted.cpu_ns = 350;
  counted.allocations = 2.5;
  counted.instructions = 1234.5;
  counted.branch_misses = 0;
  figures.figures.push_back(counted);
  return figures;
}

TEST_F(MicroFiguresTest, ComeBackAsTheyWereSaved) {
  ASSERT_TRUE(write_micro_figures(path(), some_figures()).ok());
  const auto read = read_micro_figures(path(), kCpu);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->measured_at_unix_s, 1'800'000'000);
  ASSERT_EQ(read->figures.size(), 2u);
  EXPECT_EQ(read->figures[0].cpu_ns, 37.25);
  EXPECT_EQ(read->figures[0].instructions, std::nullopt);  // absent, and not zero
  EXPECT_EQ(read->figures[1].instructions, 1234.5);
  EXPECT_EQ(read->figures[1].branch_misses, 0.0);  // a count of zero is a count
  EXPECT_EQ(read->figures[1].cycles, std::nullopt);
  EXPECT_EQ(read->figures[1].allocations, 2.5);
}

TEST_F(MicroFiguresTest, OnlyATypicalInputIsFound) {
  const MicroFigures figures = some_figures();
  ASSERT_NE(figures.typical("request_line", "scalar"), nullptr);
  EXPECT_EQ(figures.typical("request_line", "scalar")->input, "browser");
  EXPECT_EQ(figures.typical("request_line", "regex"), nullptr);
  EXPECT_EQ(figures.typical("router", "scalar"), nullptr);
}

TEST_F(MicroFiguresTest, SavingReplacesAndLeavesNothingBeside) {
  ASSERT_TRUE(write_micro_figures(path(), some_figures()).ok());
  MicroFigures later = some_figures();
  later.figures.resize(1);
  ASSERT_TRUE(write_micro_figures(path(), later).ok());
  EXPECT_EQ(read_micro_figures(path(), kCpu)->figures.size(), 1u);
  const auto folder = std::filesystem::path(path()).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(MicroFiguresTest, NoneSavedAndAnotherProcessorAreToldApart) {
  EXPECT_EQ(read_micro_figures(path(), kCpu).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(write_micro_figures(path(), some_figures()).ok());
  const auto status = read_micro_figures(path(), "Other 1").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr(kCpu));
}

TEST_F(MicroFiguresTest, WhatIsNoFileOfFiguresIsRefused) {
  for (const char* text :
       {"", "[]", "{", R"({"version": 2})", R"({"version": "1"})", R"({"version": 1})",
        R"({"version": 1, "cpu_model": "a", "measured_at_unix_s": 1, "figures": [{}]})",
        R"({"version": 1, "cpu_model": "a", "measured_at_unix_s": 1, "figures": 7})"}) {
    put(text);
    const auto status = read_micro_figures(path(), "a").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("hotlap-micro --save")) << text;
  }
}

TEST_F(MicroFiguresTest, WhereNothingCanBeWrittenTheErrorNamesTheFile) {
  const auto status = write_micro_figures("/proc/hotlap/micro.json", some_figures());
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc/hotlap/micro.json"));
}

// One test of the environment, so that no other one reads it meanwhile.
TEST_F(MicroFiguresTest, TheStateDirectoryIsThatOfTheUser) {
  setenv("XDG_STATE_HOME", "/somewhere/state", 1);
  EXPECT_EQ(*micro_figures_path(), "/somewhere/state/hotlap/micro.json");
  setenv("XDG_STATE_HOME", "relative", 1);
  setenv("HOME", "/users/one", 1);
  EXPECT_EQ(*micro_figures_path(), "/users/one/.local/state/hotlap/micro.json");
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  EXPECT_FALSE(micro_figures_path().ok());
}

}  // namespace
}  // namespace hotlap::record
