// To whom a stack is charged, on literal stacks; and on this test's own program, which is compiled
// from no stage.
#include "harness/profile/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/profile/testing.h"

namespace hotlap::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Attribution, ASourceFileSaysWhoseCodeItIs) {
  EXPECT_EQ(stage_of_source("/src/lab/variants/date/lazy.cc"), "date");
  EXPECT_EQ(stage_of_source("/src/variants/lab/variants/request_line/one_pass.h"), "request_line");
  EXPECT_EQ(stage_of_source("/lab/variants/registry.cc"), "server");
  EXPECT_EQ(stage_of_source("/lab/server/core/driver.cc"), "server");
  EXPECT_EQ(stage_of_source("/lab/server/tls/server_stream.cc"), "transport");
  EXPECT_EQ(stage_of_source("/lab/server/ballast_chain.cc"), "ballast");
  EXPECT_EQ(stage_of_source("/usr/include/c++/12/bits/regex.tcc"), "");
  EXPECT_EQ(stage_of_source(""), "");
}

TEST(Attribution, TheKernelSaysWhichCallItDoes) {
  EXPECT_EQ(system_call_in({"entry_SYSCALL_64_after_hwframe", "do_syscall_64", "__sys_sendmsg",
                            "___sys_sendmsg", "tcp_sendmsg"}),
            "sendmsg");
  EXPECT_EQ(system_call_in({"do_syscall_64", "__x64_sys_epoll_wait"}), "epoll_wait");
  EXPECT_EQ(system_call_in({"do_syscall_64", "ksys_write.isra.0"}), "write");
  EXPECT_EQ(system_call_in({"do_syscall_64", "do_writev", "vfs_writev"}), "writev");
  EXPECT_EQ(system_call_in({"asm_exc_page_fault", "exc_page_fault"}), "page fault");
  EXPECT_EQ(system_call_in({"ret_from_fork"}), "");
  EXPECT_EQ(system_call_in({}), "");
}

TEST(Attribution, TheInnermostStageIsCharged) {
  const ScriptSample sample = sample_at(
      1, {kernel_frame("tcp_sendmsg"), user_frame("sendmsg", "/lib/libc.so.6"),
          user_frame("write", "/s"), user_frame("drive", "/s"), user_frame("serve", "/s")});
  EXPECT_EQ(charge(sample, {"", "", "response", "server", "dispatch"}), "response");
  EXPECT_EQ(charge(sample, {"", "", "", "server", "dispatch"}), "dispatch")
      << "the driver works for the stage that runs it";
  EXPECT_EQ(charge(sample, {"", "", "", "server", ""}), "server");
}

TEST(Attribution, WithoutStagesTheKindOfCodeIsCharged) {
  const auto charged = [](std::vector<ScriptFrame> frames) {
    const std::vector<std::string> stages(frames.size());
    return charge(sample_at(1, std::move(frames)), stages);
  };
  EXPECT_EQ(charged({kernel_frame("tcp_sendmsg"), kernel_frame("__sys_sendmsg"),
                     user_frame("main", "/usr/sbin/nginx")}),
            "kernel: sendmsg");
  EXPECT_EQ(charged({kernel_frame("do_softirq")}), "kernel");
  EXPECT_EQ(charged({user_frame("main", "/usr/sbin/nginx")}), "program");
  EXPECT_EQ(charged({user_frame("malloc", "/lib/libc.so.6")}), "libraries");
  EXPECT_EQ(charged({user_frame("__vdso_clock_gettime", "[vdso]")}), "libraries");
  EXPECT_EQ(charged({}), "unknown");
}

TEST(Attribution, FramesOfOtherProgramsHaveNoStage) {
  ObjectFiles files;
  Attribution attribution(files);
  const ScriptSample sample =
      sample_at(1, {kernel_frame("tcp_sendmsg"), user_frame("main", "/proc/self/exe")});
  EXPECT_THAT(attribution.stages_of(sample), ElementsAre("", ""));
  EXPECT_THAT(attribution.blind(), IsEmpty());
}

TEST(Attribution, ALabProgramThatCannotBeReadIsNamed) {
  ObjectFiles files;
  Attribution attribution(files);
  const ScriptSample sample = sample_at(1, {user_frame("parse", "/nowhere/hotlap-server"),
                                            user_frame("drive", "/nowhere/hotlap-server")});
  EXPECT_THAT(attribution.stages_of(sample), ElementsAre("", ""));
  EXPECT_THAT(attribution.blind(), ElementsAre("hotlap-server"));
}

}  // namespace
}  // namespace hotlap::profile
