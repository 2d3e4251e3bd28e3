#include "harness/audit/fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace hotlap::audit {
namespace {

std::vector<std::string> letters(const std::string& text) {
  std::vector<std::string> sequence;
  for (const char c : text) sequence.emplace_back(1, c);
  return sequence;
}

// "a(bc)2d"
std::string folded(const std::string& text) {
  const std::vector<std::string> sequence = letters(text);
  std::string out;
  for (const Cycle& cycle : fold(sequence)) {
    std::string one;
    for (size_t i = 0; i < cycle.length; ++i) one += sequence[cycle.begin + i];
    out += cycle.times == 1 ? one : "(" + one + ")" + std::to_string(cycle.times);
  }
  return out;
}

TEST(FoldTest, RepeatedCyclesAreFolded) {
  EXPECT_EQ(folded(""), "");
  EXPECT_EQ(folded("abc"), "abc");
  EXPECT_EQ(folded("aaaa"), "(a)4");
  EXPECT_EQ(folded("abcbcbcd"), "a(bc)3d");
  EXPECT_EQ(folded("aabaab"), "(aab)2");
  EXPECT_EQ(folded("ababa"), "(ab)2a");
}

TEST(FoldTest, SixtyOneCyclesAreOneStep) {
  std::string text;
  for (int i = 0; i < 61; ++i) text += "ers";
  EXPECT_EQ(folded(text), "(ers)61");
}

TEST(FoldTest, UnfoldsToTheSameSequence) {
  std::mt19937 draw(7);
  for (int turn = 0; turn < 200; ++turn) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += static_cast<char>('a' + draw() % 3);
    const std::vector<std::string> sequence = letters(text);
    std::string out;
    for (const Cycle& cycle : fold(sequence)) {
      for (size_t i = 0; i < cycle.times; ++i) {
        for (size_t j = 0; j < cycle.length; ++j) out += sequence[cycle.begin + j];
      }
    }
    ASSERT_EQ(out, text);
  }
}

TEST(FoldTest, LongRunsAreCheap) {
  EXPECT_EQ(fold(std::vector<std::string>(1'000'000, "epoll_wait")).size(), 1U);
}

}  // namespace
}  // namespace hotlap::audit
