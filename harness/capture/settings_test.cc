// Settings of a machine that is a directory: what is found, what is changed, what does not take.
#include "harness/capture/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace hotlap::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "settings-" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << "\n";
  }
  void write_governor(const std::string& cpu, const std::string& value,
                      const std::string& available = "performance powersave") const {
    const std::string directory = "/sys/devices/system/cpu/" + cpu + "/cpufreq/";
    write(directory + "scaling_governor", value);
    write(directory + "scaling_available_governors", available);
  }
  std::vector<std::string> commands() const {
    std::vector<std::string> all;
    for (const Setting& setting : unfit_settings(root_)) all.push_back(command_of(setting));
    return all;
  }

  std::string root_;
};

TEST_F(SettingsTest, AMachineWithoutAnyOfItNeedsNothing) {
  EXPECT_THAT(unfit_settings(root_), IsEmpty());
}

TEST_F(SettingsTest, EachUnfitOneHasItsCommand) {
  std::filesystem::create_directories(root_ + "/sys/kernel/tracing");
  write("/proc/sys/kernel/perf_event_paranoid", "2");
  write("/proc/sys/kernel/kptr_restrict", "1");
  write("/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  write("/proc/sys/net/ipv4/tcp_available_congestion_control", "reno bbr cubic");
  write("/proc/sys/net/ipv4/tcp_congestion_control", "bbr");
  write("/proc/sys/kernel/randomize_va_space", "0");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
  write("/sys/class/net/lo/mtu", "1500");
  EXPECT_THAT(commands(), ElementsAre("mount -t tracefs tracefs /sys/kernel/tracing",
                                      "echo 1 > /proc/sys/kernel/perf_event_paranoid",
                                      "echo 0 > /proc/sys/kernel/kptr_restrict",
                                      "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo",
                                      "echo cubic > /proc/sys/net/ipv4/tcp_congestion_control",
                                      "echo 2 > /proc/sys/kernel/randomize_va_space",
                                      "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
                                      "echo 65536 > /sys/class/net/lo/mtu"));
  for (const Setting& setting : unfit_settings(root_)) EXPECT_FALSE(setting.effect.empty());
}

TEST_F(SettingsTest, WhatIsAtLeastAsGoodStays) {
  std::filesystem::create_directories(root_ + "/sys/kernel/tracing/events");
  write("/proc/sys/kernel/perf_event_paranoid", "-1");
  write("/proc/sys/net/ipv4/tcp_available_congestion_control", "reno cubic");
  write("/proc/sys/net/ipv4/tcp_congestion_control", "reno");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  write_governor("cpu0", "performance");
  EXPECT_THAT(commands(), IsEmpty());
}

TEST_F(SettingsTest, EveryCpuHasAGovernorOfItsOwn) {
  write_governor("cpu10", "powersave");
  write_governor("cpu2", "schedutil");
  write_governor("cpu3", "userspace", "userspace");  // performance is not to be had
  write_governor("cpuidle", "powersave");            // no CPU
  std::vector<std::string> paths;
  for (const Setting& setting : unfit_settings(root_)) paths.push_back(setting.path);
  EXPECT_THAT(paths, ElementsAre(HasSubstr("/cpu2/"), HasSubstr("/cpu10/")));
}

TEST_F(SettingsTest, IsAppliedAndReadBack) {
  write("/proc/sys/kernel/kptr_restrict", "2");
  const std::vector<Setting> unfit = unfit_settings(root_);
  ASSERT_EQ(unfit.size(), 1u);
  EXPECT_EQ(unfit[0].found, "2");
  EXPECT_TRUE(apply_setting(root_, unfit[0]).ok());
  EXPECT_EQ(*read_setting(root_, unfit[0]), "0");
  EXPECT_THAT(unfit_settings(root_), IsEmpty());
}

TEST_F(SettingsTest, WhatDoesNotTakeIsAnError) {
  const Setting gone{"turbo", "/sys/none", "0", "1", "-"};
  EXPECT_THAT(std::string(apply_setting(root_, gone).message()), HasSubstr("/sys/none"));
  std::filesystem::create_directories(root_ + "/proc");
  std::filesystem::create_symlink("/dev/null", root_ + "/proc/deaf");
  const Setting deaf{"turbo", "/proc/deaf", "0", "1", "-"};
  EXPECT_FALSE(apply_setting(root_, deaf).ok());
}

}  // namespace
}  // namespace hotlap::capture
