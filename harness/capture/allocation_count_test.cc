// Known allocations are counted exactly, and what cannot be counted says why.
#include "harness/capture/allocation_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace hotlap::capture {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(AllocationCountTest, KnownAllocationsAreCountedExactly) {
  EXPECT_TRUE(check_allocation_counting(::testing::TempDir()).ok())
      << check_allocation_counting(::testing::TempDir());
}

TEST(AllocationCountTest, ATableGoesWithItsCounts) {
  const std::string directory = ::testing::TempDir() + "allocation-table";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  {
    const auto counts = AllocationCounts::create(directory);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_FALSE(std::filesystem::is_empty(directory));
    EXPECT_EQ(counts->read().allocations, 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::remove(directory);
  EXPECT_THAT(std::string(AllocationCounts::create(directory).status().message()),
              HasSubstr(directory));
}

TEST(AllocationCountTest, ComesBeforeAnyOtherPreloadedLibrary) {
  const auto counts = AllocationCounts::create(::testing::TempDir());
  ASSERT_TRUE(counts.ok()) << counts.status();
  Variables alone = {{"A", "1"}};
  counts->add_to(alone);
  EXPECT_THAT(alone, Contains(Pair("A", "1")));
  EXPECT_THAT(alone, Contains(Pair("LD_PRELOAD", ::testing::EndsWith(kAllocationLibrary))));
  Variables both = {{"LD_PRELOAD", "/opt/jemalloc.so"}};
  counts->add_to(both);
  EXPECT_EQ(both.size(), 2u);
  EXPECT_THAT(both, Contains(Pair("LD_PRELOAD",
                                  ::testing::EndsWith("hotlap-allocations.so:/opt/jemalloc.so"))));
}

// A program that runs until it is killed: `program` with the environment of `counts`.
class Sleeper {
 public:
  Sleeper(const std::string& program, const AllocationCounts* counts) {
    std::vector<std::string> environment;
    if (counts != nullptr) {
      Variables variables;
      counts->add_to(variables);
      for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
    }
    std::vector<char*> envp;
    for (std::string& one : environment) envp.push_back(one.data());
    envp.push_back(nullptr);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::string path = program;
    std::string script = "echo ready; read never";
    std::string flag = "-c";
    char* argv[] = {path.data(), flag.data(), script.data(), nullptr};
    // Standard input is held open by nobody else: it waits for what never comes.
    int input[2];
    EXPECT_EQ(pipe(input), 0);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_addclose(&actions, input[1]);
    EXPECT_EQ(posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv, envp.data()), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    close(input[0]);
    input_ = input[1];
    char line[8];
    EXPECT_GT(read(ends[0], line, sizeof line), 0);
    close(ends[0]);
  }
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(input_);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int input_ = -1;
};

TEST(AllocationCountTest, SaysOfALiveProcessWhetherItIsCounted) {
  const auto counts = AllocationCounts::create(::testing::TempDir());
  ASSERT_TRUE(counts.ok()) << counts.status();
  const Sleeper with("/bin/sh", &*counts);
  EXPECT_TRUE(counts->check({with.pid()}).ok()) << counts->check({with.pid()});
  EXPECT_GT(counts->read().allocations, 0);
  const Sleeper without("/bin/sh", nullptr);
  EXPECT_THAT(std::string(counts->check({with.pid(), without.pid()}).message()),
              HasSubstr("did not load"));
}

class ProgramFile {
 public:
  explicit ProgramFile(const std::string& bytes) : path_(::testing::TempDir() + "program-file") {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~ProgramFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(UncountableTest, ThisProgramIsCountable) {
  EXPECT_EQ(uncountable("/proc/self/exe"), "");
  EXPECT_EQ(uncountable("/no/such/file"), "");
}

TEST(UncountableTest, ReadsDamagedFiles) {
  std::ifstream file("/bin/sh", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  for (const size_t length : {0, 3, 4, 16, 63, 64, 65, 120, 500, 4000}) {
    const ProgramFile cut(bytes.substr(0, length));
    uncountable(cut.path());  // whatever it says, it returns
  }
  bytes[4] = 1;  // ELFCLASS32
  const ProgramFile small(bytes);
  EXPECT_THAT(uncountable(small.path()), HasSubstr("another word size"));
}

TEST(UncountableTest, APrivilegedFileIsNot) {
  const ProgramFile program([] {
    std::ifstream file("/bin/sh", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }());
  namespace fs = std::filesystem;
  fs::permissions(program.path(), fs::perms::owner_all | fs::perms::set_uid);
  EXPECT_THAT(uncountable(program.path()), HasSubstr("setuid"));
}

}  // namespace
}  // namespace hotlap::capture
