#include "harness/capture/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace hotlap::capture {
namespace {

using ::testing::HasSubstr;

class NoiseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    sys_ = ::testing::TempDir() + "noise-" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    cpu_ = sys_ + "/devices/system/cpu";
    for (const char* part : {"/intel_pstate", "/cpufreq", "/smt"}) {
      std::filesystem::create_directories(cpu_ + part);
    }
  }
  void TearDown() override { std::filesystem::remove_all(sys_); }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(cpu_ + file) << text << "\n";
  }
  Probe probe(const std::string& name) const {
    for (const Probe& one : probe_noise(sys_)) {
      if (one.name == name) return one;
    }
    return {name, false, "absent", ""};
  }

  std::string sys_;
  std::string cpu_;
};

TEST_F(NoiseTest, TurboAndSiblingsAreNamedWithTheCommandAgainstThem) {
  write("/intel_pstate/no_turbo", "0");
  write("/smt/active", "1");
  EXPECT_FALSE(probe("turbo").available);
  EXPECT_THAT(probe("turbo").remedy, HasSubstr("echo 1 > "));
  EXPECT_FALSE(probe("smt").available);
  EXPECT_THAT(probe("smt").remedy, HasSubstr("echo off > "));
}

TEST_F(NoiseTest, BoostOfOtherProcessors) {
  write("/cpufreq/boost", "1");
  EXPECT_THAT(probe("turbo").remedy, HasSubstr("cpufreq/boost"));
  write("/cpufreq/boost", "0");
  EXPECT_TRUE(probe("turbo").available);
}

TEST_F(NoiseTest, WhatIsOffOrOutOfReachIsNoFault) {
  EXPECT_TRUE(probe("turbo").available);
  EXPECT_TRUE(probe("smt").available);
  write("/intel_pstate/no_turbo", "1");
  write("/smt/active", "0");
  EXPECT_EQ(probe("turbo").detail, "off");
  EXPECT_EQ(probe("smt").detail, "off: a CPU is a core");
}

TEST_F(NoiseTest, OtherLoadIsJudgedByTheCpusThereAre) {
  EXPECT_TRUE(judge_load(0.4, 2).available);
  EXPECT_FALSE(judge_load(0.6, 2).available);
  EXPECT_TRUE(judge_load(0.6, 8).available);
  EXPECT_THAT(judge_load(26, 2).remedy, HasSubstr("ps -eo"));
}

}  // namespace
}  // namespace hotlap::capture
