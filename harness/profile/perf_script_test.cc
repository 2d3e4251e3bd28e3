// perf's text in its known forms, and that no other text is taken for samples.
#include "harness/profile/perf_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hotlap::profile {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kTwoSamples[] = R"( 7013/7014  24725.218547185: 
	ffffffff81e31e7b __sys_sendmsg+0x6b ([kernel.kallsyms])
	          10ac10 __libc_sendmsg+0x10 (/usr/lib/x86_64-linux-gnu/libc.so.6)
	           818ff hotlap::(anonymous namespace)::write(bool (*)(char))+0x4f (/tmp/a b (1)/server)
	ffffffffffffffff [unknown] ([unknown])

 7013/7013  24725.000000001: 
	    7f1122334455 [unknown] (/usr/lib/libold.so (deleted))
	               0 [unknown] ([unknown])

)";

TEST(PerfScript, ReadsTasksTimesAndFrames) {
  const Script script = read_script(kTwoSamples);
  EXPECT_EQ(script.unread_lines, 0);
  ASSERT_THAT(script.samples, SizeIs(2));
  const ScriptSample& first = script.samples[0];
  EXPECT_EQ(first.process, 7013);
  EXPECT_EQ(first.thread, 7014);
  EXPECT_EQ(first.time_ns, 24725218547185);
  ASSERT_THAT(first.frames, SizeIs(3)) << "the end of the chain is no frame";
  EXPECT_TRUE(first.frames[0].kernel);
  EXPECT_EQ(first.frames[0].function, "__sys_sendmsg");
  EXPECT_EQ(first.frames[0].object, "[kernel.kallsyms]");
  EXPECT_FALSE(first.frames[1].kernel);
  EXPECT_EQ(first.frames[1].address, 0x10ac10u);
  EXPECT_EQ(first.frames[2].function, "hotlap::(anonymous namespace)::write(bool (*)(char))");
  EXPECT_EQ(first.frames[2].object, "/tmp/a b (1)/server");
}

TEST(PerfScript, WhatHasNoNameIsEmpty) {
  const Script script = read_script(kTwoSamples);
  ASSERT_THAT(script.samples, SizeIs(2));
  const ScriptSample& second = script.samples[1];
  EXPECT_EQ(second.time_ns, 24725000000001);
  ASSERT_THAT(second.frames, SizeIs(2));
  EXPECT_THAT(second.frames[0].function, IsEmpty());
  EXPECT_EQ(second.frames[0].object, "/usr/lib/libold.so");
  EXPECT_THAT(second.frames[1].object, IsEmpty());
}

TEST(PerfScript, OnlyAnOffsetIsCutOff) {
  const Script script = read_script(
      "1/1 1.000000000: \n"
      "\t 1 operator++0x12 (/x)\n"
      "\t 2 net/http.(*conn).serve+0x5a8 (/x)\n"
      "\t 3 plain (/x)\n"
      "\t 4 odd+0xhello (/x)\n");
  ASSERT_THAT(script.samples, SizeIs(1));
  const auto& frames = script.samples[0].frames;
  ASSERT_THAT(frames, SizeIs(4));
  EXPECT_EQ(frames[0].function, "operator+");
  EXPECT_EQ(frames[1].function, "net/http.(*conn).serve");
  EXPECT_EQ(frames[2].function, "plain");
  EXPECT_EQ(frames[3].function, "odd+0xhello");
}

TEST(PerfScript, LostSamplesAreCounted) {
  const Script script = read_script(
      "17753/17753 25023.497944662: PERF_RECORD_LOST lost 9\n"
      "17753/17753 25023.505786321: PERF_RECORD_LOST lost 1\n"
      "1/1 1.000000000: \n\t 1 main+0x1 (/x)\n\n");
  EXPECT_EQ(script.lost_samples, 10);
  EXPECT_THAT(script.samples, SizeIs(1));
  EXPECT_EQ(script.unread_lines, 0);
}

TEST(PerfScript, ASampleMayHaveNoStack) {
  const Script script = read_script("1/1 1.000000000: \n\n2/2 2.000000000: \n\t 1 f+0x1 (/x)\n");
  ASSERT_THAT(script.samples, SizeIs(2));
  EXPECT_THAT(script.samples[0].frames, IsEmpty());
  EXPECT_THAT(script.samples[1].frames, SizeIs(1));
}

TEST(PerfScript, OtherLinesAreCountedAndNotTaken) {
  for (const char* line : {"hello", "\t main+0x1 (/x)", "1/1 1.5: ", "1 1.000000000: ",
                           "1/1 1.000000000", "\t zz main (/x)", "1/1 x.000000000: "}) {
    const Script script = read_script(line);
    EXPECT_THAT(script.samples, IsEmpty()) << line;
    EXPECT_EQ(script.unread_lines, 1) << line;
  }
  EXPECT_THAT(read_script("").samples, IsEmpty());
  const Script cut = read_script("1/1 1.000000000: \n\t 1 main+0x");
  ASSERT_THAT(cut.samples, SizeIs(1));
  EXPECT_THAT(cut.samples[0].frames, IsEmpty());
  EXPECT_EQ(cut.unread_lines, 1);
}

}  // namespace
}  // namespace hotlap::profile
