// Fix and restore against a machine that is a directory.
#include "harness/cli/machine_preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace hotlap::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Outcome = PreparedSetting::Outcome;

constexpr char kParanoid[] = "/proc/sys/kernel/perf_event_paranoid";
constexpr char kAslr[] = "/proc/sys/kernel/randomize_va_space";
constexpr char kBoot[] = "/proc/sys/kernel/random/boot_id";

class MachinePreparationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "machine-" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
    state_ = root_ + "/state/hotlap/machine.json";
    write(kBoot, "first");
    write(kParanoid, "3");
    write(kAslr, "0");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << "\n";
  }
  std::string read(const std::string& path) const {
    std::ifstream file(root_ + path);
    std::string word;
    file >> word;
    return word;
  }
  Preparation fix(bool dry_run = false) const {
    auto done = MachinePreparation(root_, state_).fix(dry_run);
    EXPECT_TRUE(done.ok()) << done.status();
    return done.ok() ? *done : Preparation();
  }
  Preparation restore(bool dry_run = false) const {
    auto done = MachinePreparation(root_, state_).restore(dry_run);
    EXPECT_TRUE(done.ok()) << done.status();
    return done.ok() ? *done : Preparation();
  }

  std::string root_;
  std::filesystem::path state_;
};

TEST_F(MachinePreparationTest, FixesAndRestoresExactlyThat) {
  const Preparation fixed = fix();
  ASSERT_EQ(fixed.settings.size(), 2u);
  EXPECT_EQ(fixed.settings[0].outcome, Outcome::kDone);
  EXPECT_EQ(read(kParanoid), "1");
  EXPECT_EQ(read(kAslr), "2");
  const Preparation restored = restore();
  EXPECT_EQ(restored.settings.size(), 2u);
  EXPECT_EQ(read(kParanoid), "3");
  EXPECT_EQ(read(kAslr), "0");
  EXPECT_FALSE(std::filesystem::exists(state_));
}

TEST_F(MachinePreparationTest, ADryRunChangesNothing) {
  EXPECT_EQ(fix(true).settings.size(), 2u);
  EXPECT_EQ(read(kParanoid), "3");
  EXPECT_FALSE(std::filesystem::exists(state_));
  fix();
  EXPECT_EQ(restore(true).settings.size(), 2u);
  EXPECT_EQ(read(kParanoid), "1");
  EXPECT_TRUE(std::filesystem::exists(state_));
}

TEST_F(MachinePreparationTest, DoneTwiceIsDoneOnce) {
  fix();
  const Preparation again = fix();
  EXPECT_THAT(again.settings, IsEmpty());
  EXPECT_THAT(again.note, HasSubstr("as it should be"));
  restore();
  EXPECT_EQ(read(kParanoid), "3");
  const Preparation nothing = restore();
  EXPECT_THAT(nothing.settings, IsEmpty());
  EXPECT_THAT(nothing.note, HasSubstr("nothing to restore"));
  EXPECT_EQ(read(kParanoid), "3");
}

TEST_F(MachinePreparationTest, TheFirstFormerValueIsTheOneThatCounts) {
  fix();
  write(kParanoid, "2");  // somebody else; a second fix changes it again
  EXPECT_EQ(fix().settings.size(), 1u);
  restore();
  EXPECT_EQ(read(kParanoid), "3");
}

TEST_F(MachinePreparationTest, WhatSomebodyChangedSinceIsLeft) {
  fix();
  write(kAslr, "1");
  const Preparation restored = restore();
  EXPECT_EQ(restored.settings[0].outcome, Outcome::kLeft);
  EXPECT_THAT(restored.settings[0].reason, HasSubstr("is 1 now"));
  EXPECT_EQ(read(kAslr), "1");
  EXPECT_EQ(read(kParanoid), "3");
}

TEST_F(MachinePreparationTest, ACrashBetweenStateAndChangeIsUndone) {
  fix();
  write(kAslr, "0");  // as if the change had not been made
  const Preparation restored = restore();
  EXPECT_EQ(restored.settings[0].outcome, Outcome::kAlready);
  EXPECT_EQ(read(kParanoid), "3");
  EXPECT_FALSE(std::filesystem::exists(state_));
}

TEST_F(MachinePreparationTest, ABootForgetsTheSettings) {
  fix();
  write(kBoot, "second");
  write(kParanoid, "2");
  write(kAslr, "0");
  EXPECT_EQ(fix().settings.size(), 2u);
  restore();
  EXPECT_EQ(read(kParanoid), "2") << "not the 3 of the boot before";
  fix();
  write(kBoot, "third");
  EXPECT_THAT(restore().note, HasSubstr("started anew"));
  EXPECT_EQ(read(kParanoid), "1");
  EXPECT_FALSE(std::filesystem::exists(state_));
}

TEST_F(MachinePreparationTest, OneThatDoesNotTakeHindersNoOther) {
  // Reads "Linux", which is not 2, and may be written by nobody.
  std::filesystem::remove(root_ + kAslr);
  std::filesystem::create_symlink("/proc/sys/kernel/ostype", root_ + kAslr);
  const std::string mtu = "/sys/class/net/lo/mtu";
  write(mtu, "1500");
  const Preparation fixed = fix();
  ASSERT_EQ(fixed.settings.size(), 3u);
  EXPECT_EQ(fixed.settings[1].change.name, "aslr");
  EXPECT_EQ(fixed.settings[1].outcome, Outcome::kFailed);
  EXPECT_THAT(fixed.settings[1].reason, HasSubstr(kAslr));
  EXPECT_TRUE(fixed.failed());
  EXPECT_EQ(read(mtu), "65536");
  const Preparation restored = restore();
  EXPECT_EQ(restored.settings[1].outcome, Outcome::kAlready);
  EXPECT_EQ(read(mtu), "1500");
  EXPECT_EQ(read(kParanoid), "3");
}

TEST_F(MachinePreparationTest, AStateThatCannotBeReadChangesNothing) {
  std::filesystem::create_directories(state_.parent_path());
  for (const char* text : {"", "nonsense", "{}", R"({"schema": 9, "settings": []})",
                           R"({"schema": 1, "settings": [{"name": "x"}]})"}) {
    std::ofstream(state_) << text;
    const auto fixed = MachinePreparation(root_, state_).fix(false);
    EXPECT_THAT(std::string(fixed.status().message()), HasSubstr("machine.json")) << text;
    EXPECT_FALSE(MachinePreparation(root_, state_).restore(false).ok()) << text;
    EXPECT_EQ(read(kParanoid), "3");
  }
}

TEST_F(MachinePreparationTest, AStateThatCannotBeWrittenChangesNothing) {
  std::ofstream(root_ + "/file") << "x";
  const auto fixed = MachinePreparation(root_, root_ + "/file/machine.json").fix(false);
  EXPECT_FALSE(fixed.ok());
  EXPECT_EQ(read(kParanoid), "3");
}

TEST_F(MachinePreparationTest, TheTextHasACommandAndItsEffect) {
  for (const char* cpu : {"cpu0", "cpu1"}) {
    const std::string directory = std::string("/sys/devices/system/cpu/") + cpu + "/cpufreq/";
    write(directory + "scaling_governor", "powersave");
    write(directory + "scaling_available_governors", "performance powersave");
  }
  const Preparation planned = fix(true);
  EXPECT_EQ(planned.settings.size(), 4u);
  const std::string text = preparation_text(planned, true);
  EXPECT_THAT(text, HasSubstr("echo 1 > /proc/sys/kernel/perf_event_paranoid"));
  EXPECT_THAT(text, HasSubstr("echo performance | tee"));
  EXPECT_THAT(text, HasSubstr("# 2 CPUs"));
  EXPECT_THAT(text, Not(HasSubstr("root")));
  EXPECT_THAT(preparation_text(planned, false), HasSubstr("take root"));
  const auto json = nlohmann::json::parse(preparation_json(planned, state_));
  EXPECT_EQ(json["settings"].size(), 4u);
  EXPECT_EQ(json["settings"][0]["outcome"], "planned");
}

TEST(MachineStateFile, FollowsTheUser) {
  const auto with = [](const char* state, const char* home) {
    return [=](const char* name) { return std::string(name) == "HOME" ? home : state; };
  };
  EXPECT_EQ(machine_state_file(with("/s", "/h"), true), "/s/hotlap/machine.json");
  EXPECT_EQ(machine_state_file(with(nullptr, "/root"), true), "/var/lib/hotlap/machine.json");
  EXPECT_EQ(machine_state_file(with("relative", "/h"), false),
            "/h/.local/state/hotlap/machine.json");
  EXPECT_EQ(machine_state_file(with(nullptr, nullptr), false), "/var/lib/hotlap/machine.json");
}

}  // namespace
}  // namespace hotlap::cli
