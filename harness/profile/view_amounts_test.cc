// A view's rows: shares of what was counted, differences of two arms, and the whole.
#include "harness/profile/view_amounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <string>

#include "harness/profile/testing.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::View;
using hotlap::v1::ViewRow;

// One arm of two turns, 0 to 100 and 100 to 200, of ten requests each.
class Arms {
 public:
  void add() {
    const std::vector<Turn> turns = {{.begin_ns = 0, .end_ns = 100, .requests = 10},
                                     {.begin_ns = 100, .end_ns = 200, .requests = 10}};
    pointers_.push_back(&tallies_.emplace_back(turns));
  }
  void doze(int64_t begin_ns, int64_t end_ns, const char* call) {
    const ScriptSample& sample = samples_.emplace_back(sample_at(
        begin_ns, {kernel_frame("schedule"), kernel_frame(call), user_frame("main", "/srv")}));
    add({.begin_ns = begin_ns, .ready_ns = end_ns, .end_ns = end_ns, .sample = &sample});
  }
  void add(const Wait& wait) { tallies_.back().add(wait, attribution_); }
  View view(const char* name = kOffCpuView) {
    View view;
    view.set_name(name);
    fill_amounts(pointers_, view);
    return view;
  }

 private:
  ObjectFiles files_;
  Attribution attribution_{files_};
  std::list<ScriptSample> samples_;
  std::list<ViewTally> tallies_;
  std::vector<const ViewTally*> pointers_;
};

const ViewRow* row(const google::protobuf::RepeatedPtrField<ViewRow>& rows,
                   const std::string& stage) {
  for (const ViewRow& row : rows) {
    if (row.stage() == stage) return &row;
  }
  return nullptr;
}

double more(const View& view, const std::string& name) {
  for (const auto& each : view.more()) {
    if (each.name() == name) return each.amount().arms(0).per_request();
  }
  return -1;
}

TEST(ViewAmounts, NanosecondsAndSleepsOfOneArm) {
  Arms arms;
  arms.add();
  arms.doze(10, 40, "__x64_sys_futex");
  arms.doze(110, 120, "__x64_sys_epoll_wait");
  arms.add({.kind = WaitKind::kPreempted, .begin_ns = 50, .ready_ns = 50, .end_ns = 70});
  const View view = arms.view();
  EXPECT_EQ(view.stages(0).stage(), "kernel: futex") << "the largest first";
  EXPECT_DOUBLE_EQ(view.stages(0).first().arms(0).per_request(), 1.5);
  EXPECT_DOUBLE_EQ(view.stages(0).second().arms(0).per_request(), 0.05);
  EXPECT_FALSE(view.stages(0).first().has_difference());
  EXPECT_DOUBLE_EQ(view.total().first().arms(0).per_request(), 2);
  // Without either turn it is 1 or 3 ns: sqrt((2 - 1) / 2 * (1 + 1)) = 1.
  EXPECT_DOUBLE_EQ(view.total().first().arms(0).standard_error(), 1);
  EXPECT_DOUBLE_EQ(more(view, "idle"), 0.5);
  EXPECT_DOUBLE_EQ(more(view, "preempted"), 1);
  EXPECT_DOUBLE_EQ(more(view, "preemptions"), 0.05);
  EXPECT_DOUBLE_EQ(more(view, "woken"), 0);
  EXPECT_FALSE(view.sites(0).idle());
  EXPECT_TRUE(view.sites(1).idle());
  EXPECT_EQ(view.sites(1).system_call(), "epoll_wait");
  EXPECT_EQ(view.sites(1).function(), "main");
}

TEST(ViewAmounts, RowsSumToTheTotalThoughStacksWereTakenOfSome) {
  Arms arms;
  arms.add();
  arms.doze(10, 40, "__x64_sys_futex");
  arms.doze(110, 120, "__x64_sys_epoll_wait");
  arms.add({.begin_ns = 50, .ready_ns = 90, .end_ns = 90});
  arms.add({.begin_ns = Wait::kEarlier, .ready_ns = 20, .end_ns = 20});
  const View view = arms.view();
  EXPECT_DOUBLE_EQ(view.total().first().arms(0).per_request(), 5);
  EXPECT_DOUBLE_EQ(row(view.stages(), "began earlier")->first().arms(0).per_request(), 1);
  EXPECT_DOUBLE_EQ(row(view.stages(), "kernel: futex")->first().arms(0).per_request(), 3);
  for (const auto& rows : {view.stages(), view.sites()}) {
    double first = 0, second = 0;
    for (const ViewRow& each : rows) {
      first += each.first().arms(0).per_request();
      second += each.second().arms(0).per_request();
    }
    EXPECT_DOUBLE_EQ(first, 5);
    EXPECT_DOUBLE_EQ(second, view.total().second().arms(0).per_request());
  }
}

TEST(ViewAmounts, TwoArmsHaveADifferenceAndWhatOneLacksIsARow) {
  Arms arms;
  arms.add();
  arms.doze(10, 40, "__x64_sys_futex");
  arms.doze(110, 140, "__x64_sys_futex");
  arms.add();
  const View view = arms.view();
  ASSERT_EQ(view.stages_size(), 1);
  const auto& first = view.stages(0).first();
  EXPECT_DOUBLE_EQ(first.difference(), -3);
  EXPECT_TRUE(first.arms(0).seen());
  EXPECT_FALSE(first.arms(1).seen());
  EXPECT_DOUBLE_EQ(view.total().first().difference(), -3);
  EXPECT_DOUBLE_EQ(view.total().first().difference_standard_error(), 0);
}

TEST(ViewAmounts, AnArmWithoutEventsIsZeroAndKnownToBe) {
  Arms arms;
  arms.add();
  arms.add();
  arms.doze(10, 40, "__x64_sys_futex");
  arms.doze(110, 140, "__x64_sys_futex");
  const View view = arms.view();
  ASSERT_EQ(view.stages_size(), 1);
  EXPECT_TRUE(view.stages(0).first().has_difference_standard_error());
  EXPECT_DOUBLE_EQ(view.stages(0).first().arms(0).standard_error(), 0);
}

TEST(ViewAmounts, AHeapHasNoIdleness) {
  Arms arms;
  arms.add();
  EXPECT_EQ(arms.view(kHeapView).more_size(), 0);
}

}  // namespace
}  // namespace hotlap::profile
