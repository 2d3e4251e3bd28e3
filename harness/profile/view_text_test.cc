// A view as printed: within 80 columns, whatever the size of its figures.
#include "harness/profile/view_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "harness/profile/view_amounts.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::Amount;
using hotlap::v1::Profile;
using hotlap::v1::View;
using ::testing::HasSubstr;
using ::testing::Not;

void fill(Amount& amount, int arms, double value, double error) {
  for (int i = 0; i < arms; ++i) {
    auto* arm = amount.add_arms();
    arm->set_per_request(i == 0 ? value : 0);
    arm->set_standard_error(error);
    arm->set_seen(i == 0);
  }
  if (arms < 2) return;
  amount.set_difference(-value);
  amount.set_difference_standard_error(error);
}

struct Example {
  Profile profile;
  View view;
};

Example example(int arms, double value, const char* name = kOffCpuView) {
  Example made;
  made.view.set_name(name);
  for (int i = 0; i < arms; ++i) {
    const char* arm = i == 0 ? "a" : "b";
    made.profile.add_arms()->set_arm(arm);
    made.profile.mutable_arms(i)->set_asked("fast,dispatch=thread_pool");
    auto* of_view = made.view.add_arms();
    of_view->set_arm(arm);
    of_view->set_requests(1000);
    of_view->set_stacks_taken(33);
    of_view->set_every(7);
    of_view->set_threads(4);
    of_view->set_turns(20);
  }
  const auto add = [&](hotlap::v1::ViewRow& row, const std::string& function) {
    row.set_stage("dispatch");
    row.set_function(function);
    row.set_system_call(function.empty() ? "" : "futex");
    fill(*row.mutable_first(), arms, value, value / 20);
    fill(*row.mutable_second(), arms, 1.25, 0.015);
  };
  add(*made.view.add_stages(), "");
  add(*made.view.add_sites(), "hotlap::variants::(anonymous namespace)::take_a_connection(int)");
  add(*made.view.mutable_total(), "");
  if (made.view.name() != kOffCpuView) return made;
  for (const char* each : {"idle", "woken", "preempted", "preemptions"}) {
    auto* more = made.view.add_more();
    more->set_name(each);
    more->set_unit(std::string(each) == "preemptions" ? "" : "ns");
    fill(*more->mutable_amount(), arms, value / 2, value / 100);
  }
  return made;
}

void expect_columns(const std::string& text) {
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    size_t columns = 0;
    for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    EXPECT_LE(columns, 80u) << line;
    EXPECT_FALSE(line.ends_with(" ")) << line;
  }
}

TEST(ViewText, TwoArmsSideBySide) {
  const Example made = example(2, 13'456.78);
  const std::string text = view_text(made.profile, made.view);
  EXPECT_THAT(text, HasSubstr("off-CPU: where threads wait\n"));
  EXPECT_THAT(text, HasSubstr("1000 requests, 13456.8 ns asleep in 1.2500 sleeps each\n"));
  EXPECT_THAT(text, HasSubstr("33 stacks (every 7th) of 4 threads, 20 turns\n"));
  EXPECT_THAT(text,
              HasSubstr("dispatch                       13456.8         .   -13456.8 ± 1408.3"));
  EXPECT_THAT(text,
              HasSubstr("dispatch                        1.2500         .    -1.2500 ± 0.0314"));
  EXPECT_THAT(text, HasSubstr("of it idle "));
  EXPECT_THAT(text, HasSubstr("runnable, preempted "));
  EXPECT_THAT(text, HasSubstr("dispatch: futex, "));
  EXPECT_THAT(text, HasSubstr("sleeps that changed most"));
  expect_columns(text);
}

TEST(ViewText, LongSleepsFitTheirColumns) {
  for (const double value : {0.01, 99'999.7, 20'123'456.7}) {
    for (const int arms : {1, 2}) {
      const Example made = example(arms, value);
      expect_columns(view_text(made.profile, made.view));
    }
  }
  const Example made = example(1, 20'123'456.7);
  EXPECT_THAT(view_text(made.profile, made.view), HasSubstr("  20123457 ± 2105944\n"));
}

TEST(ViewText, AHeapIsToldInBytesAndAllocations) {
  const Example made = example(1, 640, kHeapView);
  const std::string text = view_text(made.profile, made.view);
  EXPECT_THAT(text, HasSubstr("640.0 bytes in 1.2500 allocations each\n"));
  EXPECT_THAT(text, HasSubstr("allocation sites with the most"));
  EXPECT_THAT(text, Not(HasSubstr("idle")));
  expect_columns(text);
}

TEST(ViewText, NotesNameTheArm) {
  Example made = example(2, 5);
  made.view.mutable_arms(1)->add_notes("something is missing");
  EXPECT_THAT(view_text(made.profile, made.view),
              HasSubstr("\nnote: arm b: something is missing\n"));
}

}  // namespace
}  // namespace hotlap::profile
