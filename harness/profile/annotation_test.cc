// Lines under samples, of this test's own program and of files that have none.
#include "harness/profile/annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include "harness/profile/costs.h"
#include "harness/profile/testing.h"

namespace hotlap::profile {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

__attribute__((noinline)) int sampled_function(int value) { return value * 5 + 2; }
constexpr int kItsLine = __LINE__ - 1;

uint64_t load_base() {
  uint64_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_addr;
        return 1;  // the program itself comes first
      },
      &base);
  return base;
}

// Where the function is in the file: the reverse of ObjectFile::address_of.
uint64_t offset_in_file(const ObjectFile& file, uint64_t address) {
  for (uint64_t offset = 0; offset < (uint64_t{1} << 26); offset += 0x1000) {
    const auto page = file.address_of(offset);
    if (page && *page <= address && address - *page < 0x1000) return offset + (address - *page);
  }
  return 0;
}

class AnnotationTest : public ::testing::Test {
 protected:
  AnnotationTest() {
    const ObjectFile* file = files_.find("/proc/self/exe");
    EXPECT_NE(file, nullptr);
    address_ = reinterpret_cast<uint64_t>(&sampled_function) - load_base();
    offset_ = offset_in_file(*file, address_);
    EXPECT_EQ(file->address_of(offset_), address_);
  }

  ObjectFiles files_;
  Attribution attribution_{files_};
  Tally a_{{{.begin_ns = 0, .end_ns = 10, .requests = 1, .cpu_ns = 100}}};
  Tally b_{{{.begin_ns = 0, .end_ns = 10, .requests = 1, .cpu_ns = 100}}};
  uint64_t address_ = 0;
  uint64_t offset_ = 0;
};

TEST_F(AnnotationTest, BothArmsShowTheSameLines) {
  for (int i = 0; i < 3; ++i) {
    a_.add(sample_at(1, {user_frame("sampled_function", "/proc/self/exe", offset_)}), attribution_);
  }
  a_.add(sample_at(1, {kernel_frame("tcp_sendmsg")}), attribution_);
  b_.add(sample_at(1, {kernel_frame("tcp_sendmsg")}), attribution_);
  int disassembled = 0;
  const auto disassemble = [&](const std::string& path, const CodeRange& range) {
    ++disassembled;
    EXPECT_EQ(path, "/proc/self/exe");
    EXPECT_EQ(range.begin, address_);
    return Assembly{{address_, "push %rbp"}};
  };
  const auto annotated = annotate(function_costs({&a_, &b_}), 3, {&a_, &b_}, files_, disassemble);
  ASSERT_THAT(annotated, SizeIs(2));
  ASSERT_THAT(annotated[0], SizeIs(1)) << "the kernel's functions have no file";
  ASSERT_THAT(annotated[1], SizeIs(1));
  const auto& in_a = annotated[0][0];
  const auto& in_b = annotated[1][0];
  EXPECT_EQ(in_a.function(), "sampled_function");
  EXPECT_EQ(in_a.samples(), 3u);
  EXPECT_EQ(in_b.samples(), 0u);
  ASSERT_EQ(in_a.lines_size(), in_b.lines_size());
  EXPECT_GT(in_a.lines_size(), 1) << "neighbours are shown";
  uint64_t sum = 0;
  for (int i = 0; i < in_a.lines_size(); ++i) {
    EXPECT_EQ(in_a.lines(i).line(), in_b.lines(i).line());
    EXPECT_EQ(in_a.lines(i).text(), in_b.lines(i).text());
    sum += in_a.lines(i).samples();
    if (in_a.lines(i).samples() == 0) continue;
    EXPECT_EQ(in_a.lines(i).line(), static_cast<uint32_t>(kItsLine));
    EXPECT_THAT(in_a.lines(i).text(), HasSubstr("sampled_function"));
    EXPECT_EQ(in_a.lines(i).assembly(), "push %rbp");
  }
  EXPECT_EQ(sum, in_a.samples());
  EXPECT_EQ(disassembled, 1);
  EXPECT_EQ(sampled_function(1), 7);
}

TEST_F(AnnotationTest, NothingToLookIntoIsNoFunction) {
  a_.add(sample_at(1, {user_frame("f", "/nowhere/libx.so")}), attribution_);
  a_.add(sample_at(1, {user_frame("", "/proc/self/exe", offset_)}), attribution_);
  const auto annotated = annotate(function_costs({&a_}), 3, {&a_}, files_,
                                  [](const auto&, const auto&) { return Assembly(); });
  ASSERT_THAT(annotated, SizeIs(1));
  EXPECT_THAT(annotated[0], SizeIs(0));
}

TEST(Annotation, ReadsObjdump) {
  const Assembly assembly = read_objdump(
      "\n/x:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n"
      "0000000000081b60 <drive>:\n"
      "   81b60:\tpush   %rbp\n"
      "   81b61:\tmov    %rsp,%rbp        # here\n"
      "   81b64:\n"
      "\t...\n");
  EXPECT_THAT(assembly, SizeIs(2));
  EXPECT_EQ(assembly.at(0x81b60), "push %rbp");
  EXPECT_EQ(assembly.at(0x81b61), "mov %rsp,%rbp # here");
}

TEST(Annotation, TheLabsFilesAreNamedFromItsRoot) {
  EXPECT_EQ(shown_source("/x/y/variants/date/lazy.cc"), "variants/date/lazy.cc");
  EXPECT_EQ(shown_source("/x/server/core/driver.cc"), "server/core/driver.cc");
  EXPECT_EQ(shown_source("/usr/include/c++/12/bits/regex.tcc"),
            "/usr/include/c++/12/bits/regex.tcc");
}

}  // namespace
}  // namespace hotlap::profile
