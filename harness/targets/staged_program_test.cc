// Equal paths, made and removed.
#include "harness/targets/staged_program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace hotlap::targets {
namespace {

namespace fs = std::filesystem;

class StagedProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "hotlap-staged-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string directory_;
};

TEST_F(StagedProgramTest, PathsAreEquallyLongRunnableAndRemoved) {
  {
    const auto staged = StagedProgram::create("/bin/true", directory_);
    ASSERT_TRUE(staged.ok()) << staged.status();
    ASSERT_EQ(staged->slots(), 2);
    EXPECT_NE(staged->path(0), staged->path(1));
    EXPECT_EQ(staged->path(0).size(), staged->path(1).size());
    for (int slot = 0; slot < 2; ++slot) {
      EXPECT_EQ(access(staged->path(slot).c_str(), X_OK), 0);
      EXPECT_EQ(std::system(staged->path(slot).c_str()), 0);
    }
  }
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(StagedProgramTest, TwoProgramsShareADirectoryAndMovesKeepOneOwner) {
  auto first = StagedProgram::create("/bin/true", directory_);
  auto second = StagedProgram::create("/bin/false", directory_);
  ASSERT_TRUE(first.ok() && second.ok());
  { const StagedProgram moved = *std::move(first); }
  EXPECT_EQ(access(second->path(1).c_str(), X_OK), 0);
  EXPECT_FALSE(StagedProgram::create("/bin/false", directory_).ok());
  EXPECT_EQ(access(second->path(1).c_str(), X_OK), 0);
}

TEST_F(StagedProgramTest, MissingProgramAndBadSlots) {
  EXPECT_EQ(StagedProgram::create("/no/such", directory_).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(StagedProgram::create("/bin/true", directory_, 11).ok());
}

}  // namespace
}  // namespace hotlap::targets
