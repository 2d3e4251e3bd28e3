// Samples added up by turn and stack, and what is said of those without a name.
#include "harness/profile/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/profile/testing.h"

namespace hotlap::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<Turn> kTurns = {{.begin_ns = 100, .end_ns = 200, .requests = 10, .cpu_ns = 50},
                                  {.begin_ns = 300, .end_ns = 400, .requests = 30, .cpu_ns = 70}};

class TallyTest : public ::testing::Test {
 protected:
  void add(int64_t time_ns, std::vector<ScriptFrame> frames) {
    tally_.add(sample_at(time_ns, std::move(frames)), attribution_);
  }
  hotlap::v1::ArmProfile filled() const {
    hotlap::v1::ArmProfile arm;
    tally_.fill(arm);
    return arm;
  }

  ObjectFiles files_;
  Attribution attribution_{files_};
  Tally tally_{kTurns};
};

TEST_F(TallyTest, SamplesBetweenTurnsAreLeftOut) {
  for (const int64_t time_ns : {99, 100, 199, 200, 250, 300, 399, 400, 1000}) {
    add(time_ns, {user_frame("main", "/srv")});
  }
  EXPECT_EQ(tally_.samples(), 4);
  EXPECT_EQ(tally_.by_turn()[0].samples, 2);
  EXPECT_EQ(tally_.by_turn()[1].samples, 2);
  EXPECT_EQ(tally_.requests(), 40);
  EXPECT_EQ(tally_.cpu_ns(), 120);
}

TEST_F(TallyTest, EqualStacksAreOneRootFirst) {
  for (int i = 0; i < 3; ++i) add(150, {user_frame("leaf", "/srv"), user_frame("main", "/srv")});
  add(350, {kernel_frame("__sys_sendto"), user_frame("main", "/srv")});
  const auto arm = filled();
  ASSERT_EQ(arm.stacks_size(), 2);
  EXPECT_EQ(arm.stacks(0).samples(), 3u) << "most samples first";
  EXPECT_EQ(arm.stacks(0).stage(), "program");
  std::vector<std::string> names;
  for (const uint32_t frame : arm.stacks(0).frames()) {
    names.push_back(arm.frames(static_cast<int>(frame)).function());
  }
  EXPECT_THAT(names, ElementsAre("main", "leaf"));
  EXPECT_EQ(arm.stacks(1).stage(), "kernel: sendto");
  EXPECT_EQ(arm.frames_size(), 3) << "main is one frame of both";
  EXPECT_EQ(arm.samples(), 4u);
  EXPECT_EQ(arm.turns(), 2u);
  EXPECT_EQ(arm.load_ns(), 200);
  EXPECT_EQ(arm.processes(), 1u);
  EXPECT_THAT(arm.notes(), IsEmpty());
}

TEST_F(TallyTest, OwnTimeIsByStageFunctionAndObject) {
  add(150, {user_frame("memcpy", "/lib/libc.so.6", 0x10), user_frame("main", "/srv")});
  add(151, {user_frame("memcpy", "/lib/libc.so.6", 0x20), user_frame("main", "/srv")});
  add(152, {kernel_frame("copy"), kernel_frame("__sys_recvfrom"), user_frame("main", "/srv")});
  const auto& turn = tally_.by_turn()[0];
  EXPECT_EQ(turn.functions.at({"libraries", "memcpy", "libc.so.6"}), 2);
  EXPECT_EQ(turn.functions.at({"kernel: recvfrom", "copy", "[kernel]"}), 1);
  EXPECT_EQ(turn.system_calls.at({"kernel: recvfrom", "recvfrom", "[kernel]"}), 1);
  EXPECT_THAT(turn.system_calls, SizeIs(1));
  const auto& places = tally_.places().at({"libraries", "memcpy", "libc.so.6"});
  EXPECT_THAT(places, SizeIs(2));
  EXPECT_EQ(places.at({"/lib/libc.so.6", 0x10}), 1);
}

TEST_F(TallyTest, MissingNamesAreToldWithTheRemedy) {
  add(150, {user_frame("", "/usr/sbin/nginx")});
  add(151, {{0xffffffff81000000u, "", "", true}});
  add(152, {user_frame("", "")});
  add(153, {});
  const auto arm = filled();
  ASSERT_EQ(arm.notes_size(), 3);
  EXPECT_THAT(arm.notes(0), HasSubstr("kptr_restrict"));
  EXPECT_THAT(arm.notes(1), HasSubstr("perf-PID.map"));
  EXPECT_THAT(arm.notes(2), HasSubstr("25.0 % of the samples have no function name, in nginx"));
  EXPECT_THAT(arm.notes(2), HasSubstr("-dbgsym"));
  EXPECT_EQ(arm.samples(), 4u) << "they are counted all the same";
}

}  // namespace
}  // namespace hotlap::profile
