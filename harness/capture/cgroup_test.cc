// CPU time of cgroups: of files made here, and of a real one of our own where the machine has any.
#include "harness/capture/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

namespace hotlap::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

class CgroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "cgroup-" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    fs::create_directories(root_ + "/unit");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(root_ + file) << text;
  }
  std::string root_;
};

TEST_F(CgroupTest, ReadsVersionTwo) {
  write("/unit/cpu.stat", "usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n");
  const auto cpu = CgroupCpu::open(root_ + "/unit");
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  EXPECT_EQ(*cpu->read_ns(), 1'234'567'000);
}

TEST_F(CgroupTest, ReadsVersionOne) {
  write("/unit/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
  EXPECT_THAT(std::string(CgroupCpu::open(root_ + "/unit").status().message()),
              HasSubstr("tells no CPU time"));
  write("/unit/cpuacct.usage", "987654321\n");
  const auto cpu = CgroupCpu::open(root_ + "/unit");
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  EXPECT_EQ(*cpu->read_ns(), 987'654'321);
}

TEST_F(CgroupTest, AFileOfNothingIsNoZero) {
  for (const char* text : {"", "\n", "usage_usec \n", "user_usec 5\n"}) {
    write("/unit/cpu.stat", text);
    EXPECT_FALSE(CgroupCpu::open(root_ + "/unit").ok()) << text;
  }
}

TEST_F(CgroupTest, FindsTheMountsThatCountCpuTime) {
  write("/mounts",
        "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
        "cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0\n"
        "cgroup /sys/fs/cgroup/cpuacct cgroup rw,relatime,cpuacct 0 0\n"
        "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n");
  EXPECT_THAT(cgroup_mounts(root_ + "/mounts"),
              ElementsAre("/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/unified"));
  EXPECT_THAT(cgroup_mounts(root_ + "/none"), IsEmpty());
}

TEST_F(CgroupTest, APathMayBeWrittenInThreeWays) {
  const std::vector<std::string> mounts = {root_ + "/absent", root_};
  for (const std::string& path : {std::string("unit"), std::string("/unit"), root_ + "/unit"}) {
    const auto found = find_cgroup(path, mounts);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(*found, root_ + "/unit");
  }
  EXPECT_THAT(std::string(find_cgroup("other", mounts).status().message()),
              HasSubstr(root_ + "/other"));
  EXPECT_THAT(std::string(find_cgroup("other", {}).status().message()), HasSubstr("no cgroups"));
}

// A cgroup of this test's own; gone with it.
class OwnCgroup {
 public:
  explicit OwnCgroup(const std::string& mount)
      : path_(mount + "/hotlap-test-" + std::to_string(getpid())) {
    std::error_code error;
    fs::create_directory(path_, error);
    made_ = !error;
  }
  ~OwnCgroup() { rmdir(path_.c_str()); }
  bool made() const { return made_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

TEST(RealCgroupTest, CountsWhatRunsInIt) {
  bool tried = false;
  for (const std::string& mount : cgroup_mounts()) {
    const OwnCgroup group(mount);
    if (!group.made()) continue;
    const auto cpu = CgroupCpu::open(group.path());
    ASSERT_TRUE(cpu.ok()) << cpu.status();
    int start[2];
    ASSERT_EQ(pipe(start), 0);
    const pid_t child = fork();
    if (child == 0) {
      char byte;
      (void)!read(start[0], &byte, 1);
      while (clock() < CLOCKS_PER_SEC / 20) {
      }
      _exit(0);
    }
    const absl::Status entered = enter_cgroup(group.path(), child);
    (void)!write(start[1], "x", 1);
    waitpid(child, nullptr, 0);
    close(start[0]);
    close(start[1]);
    if (!entered.ok()) continue;  // delegated to nobody here
    tried = true;
    const auto used = cpu->read_ns();
    ASSERT_TRUE(used.ok()) << used.status();
    EXPECT_GE(*used, 49'000'000) << mount;
    EXPECT_LT(*used, 200'000'000) << mount;
  }
  if (!tried) GTEST_SKIP() << "no cgroup can be made here that counts CPU time: run as root";
}

}  // namespace
}  // namespace hotlap::capture
