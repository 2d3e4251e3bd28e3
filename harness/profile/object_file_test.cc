// This test's own program, which has debug information, and files that are none.
#include "harness/profile/object_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <fstream>

namespace hotlap::profile {
namespace {

using ::testing::EndsWith;

__attribute__((noinline)) int known_function(int value) { return value * 3 + 1; }
constexpr int kItsLine = __LINE__ - 1;

// Where this program's first segment is in memory.
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

TEST(ObjectFile, KnowsFileLineAndFunctionOfAnAddress) {
  const auto file = ObjectFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE((*file)->has_debug_information());
  EXPECT_TRUE((*file)->has_section(".eh_frame"));
  EXPECT_FALSE((*file)->has_section(".no_such"));
  const uint64_t address = reinterpret_cast<uint64_t>(&known_function) - load_base();
  EXPECT_THAT((*file)->compiled_from(address), EndsWith("harness/profile/object_file_test.cc"));
  const auto line = (*file)->line_of(address);
  ASSERT_TRUE(line.has_value());
  EXPECT_THAT(line->file, EndsWith("harness/profile/object_file_test.cc"));
  EXPECT_EQ(line->line, kItsLine);
  const auto range = (*file)->function_at(address + 1);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->begin, address);
  EXPECT_GT(range->end, address + 1);
  EXPECT_EQ(known_function(1), 4);
}

TEST(ObjectFile, OffsetsInTheFileBecomeAddresses) {
  const auto file = ObjectFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->address_of(0), 0u) << "the first segment begins with the file";
  EXPECT_EQ((*file)->address_of(uint64_t{1} << 40), std::nullopt);
}

TEST(ObjectFile, KnowsWhereAFunctionBeginsInTheFile) {
  const auto file = ObjectFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok()) << file.status();
  const auto offset = (*file)->offset_of("main");
  ASSERT_TRUE(offset.has_value());
  const auto address = (*file)->address_of(*offset);
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ((*file)->offset_at(*address), offset);
  const auto range = (*file)->function_at(*address);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->begin, *address);
  EXPECT_EQ((*file)->offset_of("no_such_function"), std::nullopt);
  EXPECT_EQ((*file)->offset_at(uint64_t{1} << 40), std::nullopt);
}

TEST(ObjectFile, UnknownAddressesHaveNoSource) {
  const auto file = ObjectFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok()) << file.status();
  constexpr uint64_t kFar = uint64_t{1} << 40;
  EXPECT_EQ((*file)->compiled_from(kFar), "");
  EXPECT_EQ((*file)->line_of(kFar), std::nullopt);
  EXPECT_FALSE((*file)->function_at(kFar).has_value());
}

TEST(ObjectFile, WhatIsNoProgramIsAnError) {
  EXPECT_EQ(ObjectFile::open("/nowhere/x").status().code(), absl::StatusCode::kNotFound);
  const std::string path = ::testing::TempDir() + "object_file_test_text";
  std::ofstream(path) << "no ELF file";
  EXPECT_EQ(ObjectFile::open(path).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(ObjectFile::open(::testing::TempDir()).ok());
}

}  // namespace
}  // namespace hotlap::profile
