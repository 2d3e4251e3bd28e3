// Characters of each length stay; what is none becomes question marks.
#include "harness/profile/valid_utf8.h"

#include <gtest/gtest.h>

namespace hotlap::profile {
namespace {

TEST(ValidUtf8, CharactersStay) {
  for (const char* text : {"", "plain", "\u00e9", "\u20ac", "\U0001f600", "a\u00e9b\u20acc"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(ValidUtf8, OtherBytesBecomeQuestionMarks) {
  EXPECT_EQ(valid_utf8("caf\xe9"), "caf?");
  EXPECT_EQ(valid_utf8("\x80x"), "?x");
  EXPECT_EQ(valid_utf8("\xc0\x80"), "??") << "longer than need be";
  EXPECT_EQ(valid_utf8("\xe0\x80\x80"), "???");
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "???") << "a surrogate";
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "????") << "beyond the last character";
  EXPECT_EQ(valid_utf8("\xe2\x82"), "??") << "cut short";
  EXPECT_EQ(valid_utf8("\xff"), "?");
}

}  // namespace
}  // namespace hotlap::profile
