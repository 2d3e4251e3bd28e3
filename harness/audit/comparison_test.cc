#include "harness/audit/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::audit {
namespace {

using ::testing::ElementsAre;

std::vector<ShownLine> lines(const std::string& letters) {
  std::vector<ShownLine> shown;
  for (const char c : letters) shown.push_back({std::string(1, c), 1.0});
  return shown;
}

std::vector<std::string> patch(const std::string& a, const std::string& b) {
  std::vector<std::string> found;
  for (const auto& line : diff(lines(a), lines(b))) found.push_back(line.side() + line.text());
  return found;
}

TEST(ComparisonTest, AddedAndRemovedLines) {
  EXPECT_THAT(patch("abc", "abc"), ElementsAre(" a", " b", " c"));
  EXPECT_THAT(patch("abcd", "ad"), ElementsAre(" a", "-b", "-c", " d"));
  EXPECT_THAT(patch("ad", "abcd"), ElementsAre(" a", "+b", "+c", " d"));
  EXPECT_THAT(patch("abd", "acd"), ElementsAre(" a", "-b", "+c", " d"));
  EXPECT_THAT(patch("", "a"), ElementsAre("+a"));
  EXPECT_THAT(patch("a", ""), ElementsAre("-a"));
  EXPECT_TRUE(patch("", "").empty());
}

TEST(ComparisonTest, CountsStandOnTheSidesThatHaveTheLine) {
  const auto found = diff({{"a", 1.0}, {"b", 2.0}}, {{"a", 3.0}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].a(), 1);
  EXPECT_EQ(found[0].b(), 3);
  EXPECT_EQ(found[1].a(), 2);
  EXPECT_FALSE(found[1].has_b());
}

TEST(ComparisonTest, AFoldedCycleIsBracketed) {
  hotlap::v1::AuditCourse course;
  auto* step = course.add_steps();
  step->set_times(61);
  for (const char* call : {"recv", "send"}) {
    auto* line = step->add_lines();
    line->set_call(call);
    line->set_task(2);
    line->set_per_window(61);
  }
  step = course.add_steps();
  step->set_times(5);
  step->add_lines()->set_call("wait");
  std::vector<std::string> texts;
  for (const ShownLine& line : shown_lines(course, false)) texts.push_back(line.text);
  EXPECT_THAT(texts, ElementsAre("x 61 {", "  recv", "  send", "}", "wait  x 5"));
  EXPECT_EQ(shown_lines(course, true)[1].text, "  [2] recv");
  EXPECT_FALSE(shown_lines(course, true)[0].per_window.has_value());
}

TEST(ComparisonTest, LargestDifferencesComeFirst) {
  hotlap::v1::AuditPhase a;
  hotlap::v1::AuditPhase b;
  const auto add = [](hotlap::v1::AuditPhase& phase, const char* name, double count) {
    auto* added = phase.add_calls();
    added->set_name(name);
    added->set_per_window(count);
  };
  add(a, "recvfrom", 1);
  add(a, "getpeername", 2);
  add(b, "recvfrom", 1);
  add(b, "writev", 1);
  const auto found = count_differences(a, b);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "getpeername");
  EXPECT_EQ(found[0].b, 0);
  EXPECT_EQ(found[1].name, "writev");
  EXPECT_EQ(found[2].name, "recvfrom");
  EXPECT_EQ(calls_per_window(a), 3);
}

}  // namespace
}  // namespace hotlap::audit
