// What is printed: within 80 columns, costs beside one another, and never a zero for no sample.
#include "harness/profile/profile_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::Cost;
using hotlap::v1::Profile;
using ::testing::HasSubstr;
using ::testing::Not;

void add_arm(Cost& cost, uint64_t samples, double ns, double error) {
  auto* arm = cost.add_arms();
  arm->set_samples(samples);
  arm->set_ns(ns);
  arm->set_standard_error_ns(error);
}

Profile example(int arms) {
  Profile profile;
  for (int i = 0; i < arms; ++i) {
    auto* arm = profile.add_arms();
    arm->set_arm(i == 0 ? "a" : "b");
    arm->set_asked(i == 0 ? "fast,request_line=regex" : "fast");
    arm->set_requests(1000);
    arm->set_cpu_ns(6'503'400);
    arm->set_samples(33);
    arm->set_event("cpu-clock");
    arm->set_turns(20);
  }
  const auto fill = [arms](Cost& cost, const std::string& stage, const std::string& function) {
    cost.set_stage(stage);
    cost.set_function(function);
    add_arm(cost, 30, 589.4, 20.5);
    if (arms < 2) return;
    add_arm(cost, 0, 0, 0);
    cost.set_difference_ns(-589.4);
    cost.set_difference_standard_error_ns(52.6);
  };
  fill(*profile.add_stages(), "request_line", "");
  fill(*profile.mutable_total(), "", "");
  fill(*profile.add_system_calls(), "transport", "sendmsg");
  fill(*profile.add_system_calls(), "kernel: futex", "futex");
  fill(*profile.add_functions(), "request_line",
       "std::__detail::_Executor<char const*, std::allocator<int>, true>::_M_dfs(long, int)");
  return profile;
}

size_t columns(std::string_view line) {
  size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

TEST(ProfileText, TwoArmsSideBySide) {
  const std::string text = profile_text(example(2));
  EXPECT_THAT(text, HasSubstr("1000 requests, 6503.4 ns of CPU each; 33 samples of cpu-clock"));
  EXPECT_THAT(text,
              HasSubstr("request_line                    589.4        .    -589.4 ± 110.1\n"));
  EXPECT_THAT(text, HasSubstr("in all "));
  EXPECT_THAT(text, HasSubstr("transport: sendmsg "));
  EXPECT_THAT(text, Not(HasSubstr("futex"))) << "it would stand there twice";
  EXPECT_THAT(text, HasSubstr("request_line: _Executor::_M_dfs\n"));
  EXPECT_THAT(text, Not(HasSubstr(" 0.0 ")));
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    EXPECT_LE(columns(line), 80u) << line;
    EXPECT_FALSE(line.ends_with(" ")) << line;
  }
}

TEST(ProfileText, StagesAloneStandWithWhatTheirErrorIs) {
  const std::string text = stages_text(example(2));
  EXPECT_THAT(text, HasSubstr("request_line "));
  EXPECT_THAT(text, HasSubstr("± half a 95 % interval, over 20 pairs of turns"));
  EXPECT_THAT(text, Not(HasSubstr("functions")));
}

TEST(ProfileText, OneTurnGivesNoError) {
  Profile profile = example(2);
  profile.mutable_arms(0)->set_turns(1);
  EXPECT_THAT(profile_text(profile), Not(HasSubstr("±")));
}

TEST(ProfileText, WideFiguresLeaveLessForTheName) {
  Profile profile = example(2);
  Cost& cost = *profile.mutable_functions(0);
  cost.mutable_arms(0)->set_ns(1'211'910.4);
  cost.set_difference_ns(-1'211'910.4);
  cost.set_difference_standard_error_ns(111'577.1);
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(profile_text(profile), '\n'))) {
    EXPECT_LE(columns(line), 80u) << line;
  }
}

TEST(ProfileText, OneArmHasNoDifference) {
  const std::string text = profile_text(example(1));
  EXPECT_THAT(text, HasSubstr("request_line                    589.4 ± 42.9\n"));
  EXPECT_THAT(text, HasSubstr("functions that cost most"));
  EXPECT_THAT(text, Not(HasSubstr("b - a")));
}

TEST(ProfileText, NotesNameTheArm) {
  Profile profile = example(2);
  profile.mutable_arms(1)->add_notes("something is missing");
  EXPECT_THAT(profile_text(profile), HasSubstr("\nnote: arm b: something is missing\n"));
  const std::string word(60, 'x');
  profile.mutable_arms(1)->set_notes(0, "something " + word + " is missing");
  EXPECT_THAT(profile_text(profile),
              HasSubstr("\nnote: arm b: something\n  " + word + " is missing\n"));
}

TEST(ProfileText, FunctionsAreShortened) {
  EXPECT_EQ(short_function("hotlap::variants::(anonymous namespace)::parse", 40),
            "variants::parse");
  EXPECT_EQ(short_function("net/http.(*conn).serve", 40), "net/http.(*conn).serve");
  EXPECT_EQ(short_function("operator<(x const&)", 40), "operator<(x const&)");
  EXPECT_EQ(short_function("[unknown]", 40), "[unknown]");
  EXPECT_EQ(short_function("a_function_of_a_long_name", 10), "a_funct...");
  EXPECT_EQ(short_function("(x)", 10), "(x)");
}

}  // namespace
}  // namespace hotlap::profile
