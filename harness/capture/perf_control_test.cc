// The hand-shake with a perf that a test plays.
#include "harness/capture/perf_control.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

namespace hotlap::capture {
namespace {

using testing::ElementsAre;

class PerfControlTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string place = testing::TempDir() + "hotlap-control-XXXXXX";
    ASSERT_NE(mkdtemp(place.data()), nullptr);
    directory_ = place;
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    exit_ = UniqueFd(ends[0]);
    process_ = UniqueFd(ends[1]);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string prefix() const { return directory_ + "/perf"; }

  std::string directory_;
  UniqueFd exit_;     // readable once the process has ended
  UniqueFd process_;  // closed when it does
};

TEST_F(PerfControlTest, PerfIsToldToBeginAndSaysThatItHas) {
  const auto control = PerfControl::make(prefix());
  ASSERT_TRUE(control.ok()) << control.status();
  EXPECT_THAT(control->arguments(),
              ElementsAre("--delay", "-1",
                          "--control=fifo:" + prefix() + ".control," + prefix() + ".answer"));
  const UniqueFd answer(open((prefix() + ".answer").c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(write(answer.get(), "ack\n", 4), 4);
  EXPECT_TRUE(control->begin(exit_.get(), absl::Seconds(10)));
  const UniqueFd orders(open((prefix() + ".control").c_str(), O_RDONLY | O_CLOEXEC));
  char said[16] = {};
  EXPECT_EQ(read(orders.get(), said, sizeof said), 7);
  EXPECT_STREQ(said, "enable\n");
}

TEST_F(PerfControlTest, OneThatEndsOrSaysNothingHasNotBegun) {
  const auto control = PerfControl::make(prefix());
  ASSERT_TRUE(control.ok()) << control.status();
  EXPECT_FALSE(control->begin(exit_.get(), absl::Milliseconds(1)));
  process_.reset();
  EXPECT_FALSE(control->begin(exit_.get(), absl::Hours(1)));
}

TEST_F(PerfControlTest, APlaceThatIsNotThereIsNamed) {
  const auto control = PerfControl::make(directory_ + "/nowhere/perf");
  ASSERT_FALSE(control.ok());
  EXPECT_THAT(std::string(control.status().message()), testing::HasSubstr("nowhere/perf.control"));
}

}  // namespace
}  // namespace hotlap::capture
