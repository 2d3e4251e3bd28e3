// What perf prints of page faults becomes sites, with their places and callers.
#include "harness/audit/fault_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::audit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSample[] =
    " 1148/1148      5577f9c21bd8 [unknown] ([heap])\n"
    "\t           98109 _int_malloc (/usr/lib/libc.so.6)\n"
    "  malloc.c:4378\n"
    "\t           66ba5 app::(anonymous namespace)::prepare (/opt/bin/server (deleted))\n"
    "  blocks.h:25\n"
    "\t           34a10 [unknown] (/opt/lib/stripped.so)\n"
    "  stripped.so[34a10]\n"
    "\tffffffffffffffff [unknown] ([unknown])\n"
    "\n";

constexpr char kInKernel[] =
    " 1148/1150      7f00001000 [unknown] (//anon)\n"
    "\tffffffff81a000 rep_movs_alternative ([kernel.kallsyms])\n"
    "  [kernel.kallsyms][ffffffff81a000]\n"
    "\tffffffff82a000 __x64_sys_recvfrom ([kernel.kallsyms])\n"
    "\t           10a1b recv (/usr/lib/libc.so.6)\n"
    "\t           66ba5 read_some (/opt/bin/server)\n"
    "\n";

const std::map<pid_t, Mappings>& mappings() {
  static const std::map<pid_t, Mappings> all = {
      {1148, Mappings("5577f9c00000-5577f9d00000 rw-p 00000000 00:00 0    [heap]\n"
                      "7f00000000-7f00002000 rw-p 00000000 00:00 0 \n"
                      "7f10000000-7f10001000 r--p 00000000 08:01 77   /opt/lib/a b.so\n"
                      "7ffe0000-7fff0000 rw-p 00000000 00:00 0    [stack]\n")}};
  return all;
}

TEST(FaultScript, ReadsFramesWithTheirLines) {
  const auto samples = read_fault_script(kSample);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].process, 1148);
  EXPECT_EQ(samples[0].address, 0x5577f9c21bd8u);
  ASSERT_EQ(samples[0].frames.size(), 3u);
  EXPECT_EQ(samples[0].frames[0].line, "malloc.c:4378");
  EXPECT_EQ(samples[0].frames[2].line, "") << "perf's substitute is no line";
  EXPECT_FALSE(samples[0].frames[0].in_kernel);
}

TEST(FaultScript, ReadsNonsense) {
  for (const char* text : {"", "\n\n", "x", "1/2", " 1/2 zz", "\t 12 f (g)\n", " 1/2 ff [x] (y)"}) {
    EXPECT_LE(read_fault_script(text).size(), 1u) << text;
  }
  const std::string whole = std::string(kSample) + kInKernel;
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    fold_faults(read_fault_script(whole.substr(0, cut)), mappings(), 1);
  }
}

TEST(FaultMappings, NameThePlace) {
  const Mappings& own = mappings().at(1148);
  EXPECT_EQ(own.place_of(0x5577f9c21bd8), "heap");
  EXPECT_EQ(own.place_of(0x7f00001fff), "anonymous");
  EXPECT_EQ(own.place_of(0x7f00002000), "unmapped since");
  EXPECT_EQ(own.place_of(0x7f10000000), "a b.so");
  EXPECT_EQ(own.place_of(0x7ffe0001), "stack");
  EXPECT_EQ(own.place_of(0), "unmapped since");
  EXPECT_EQ(Mappings("").place_of(1), "unmapped since");
}

TEST(FaultSites, AreFoldedAndCountedByRequest) {
  std::string text;
  for (int i = 0; i < 6; ++i) text += kSample;
  text += kInKernel;
  const auto faults = fold_faults(read_fault_script(text), mappings(), 4);
  EXPECT_EQ(faults.faults(), 7u);
  EXPECT_DOUBLE_EQ(faults.per_request(), 7.0 / 4);
  ASSERT_EQ(faults.sites_size(), 2);
  EXPECT_EQ(faults.sites(0).code(), "_int_malloc malloc.c:4378");
  EXPECT_EQ(faults.sites(0).place(), "heap");
  EXPECT_EQ(faults.sites(0).program(), "libc.so.6");
  EXPECT_DOUBLE_EQ(faults.sites(0).per_request(), 1.5);
  EXPECT_THAT(faults.sites(0).callers(),
              ElementsAre("app::(anonymous namespace)::prepare blocks.h:25"));
  EXPECT_EQ(faults.sites(1).code(), "recv, in its system call");
  EXPECT_EQ(faults.sites(1).place(), "anonymous");
  EXPECT_THAT(faults.sites(1).callers(), ElementsAre("read_some"));
}

TEST(FaultSites, OfNothing) {
  const auto faults = fold_faults({}, {}, 0);
  EXPECT_EQ(faults.faults(), 0u);
  EXPECT_THAT(faults.sites(), IsEmpty());
}

TEST(FaultsText, SaysWhatThereIsOrWhyNot) {
  hotlap::v1::ArmAudit arm;
  arm.set_arm("a");
  arm.set_asked("fast");
  EXPECT_EQ(faults_text(arm), "");
  arm.mutable_faults()->set_unavailable("no perf");
  EXPECT_THAT(faults_text(arm), HasSubstr("not to be had: no perf"));
  std::string text;
  for (int i = 0; i < 6; ++i) text += kSample;
  *arm.mutable_faults() = fold_faults(read_fault_script(text + kInKernel), mappings(), 4);
  EXPECT_THAT(faults_text(arm), HasSubstr("1.75 a request (7 in 4 requests)"));
  EXPECT_THAT(faults_text(arm), HasSubstr("1.50  heap: _int_malloc malloc.c:4378  [libc.so.6]"));
  EXPECT_THAT(faults_text(arm), HasSubstr("from app::(anonymous namespace)::prepare"));
}

}  // namespace
}  // namespace hotlap::audit
