// What other viewers are given.
#include "harness/profile/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hotlap::profile {
namespace {

hotlap::v1::ArmProfile example() {
  hotlap::v1::ArmProfile arm;
  arm.set_arm("a");
  arm.set_asked("fast");
  arm.set_requests(10);
  arm.set_cpu_ns(8000);
  arm.set_samples(4);
  const auto frame = [&arm](const std::string& function, const std::string& object, bool kernel) {
    auto* added = arm.add_frames();
    added->set_function(function);
    added->set_object(object);
    added->set_kernel(kernel);
  };
  frame("main", "srv", false);
  frame("f(a;b)", "srv", false);
  frame("tcp_sendmsg", "[kernel]", true);
  frame("[unknown]", "libx.so", false);
  const auto stack = [&arm](const std::vector<uint32_t>& frames, uint64_t samples) {
    auto* added = arm.add_stacks();
    for (const uint32_t index : frames) added->add_frames(index);
    added->set_samples(samples);
  };
  stack({0, 1, 2}, 2);
  stack({0, 3}, 1);
  stack({}, 1);
  return arm;
}

TEST(Export, FoldedStacks) {
  EXPECT_EQ(folded(example()),
            "[no stack] 1\n"
            "main;[libx.so] 1\n"
            "main;f(a:b);tcp_sendmsg_[k] 2\n");
}

TEST(Export, SpeedscopeWeighsByNanosecondsARequest) {
  const auto file = nlohmann::json::parse(speedscope(example()));
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  ASSERT_EQ(file["shared"]["frames"].size(), 4u);
  EXPECT_EQ(file["shared"]["frames"][0]["name"], "main");
  ASSERT_EQ(file["profiles"].size(), 1u);
  const auto& profile = file["profiles"][0];
  EXPECT_EQ(profile["type"], "sampled");
  EXPECT_EQ(profile["unit"], "nanoseconds");
  ASSERT_EQ(profile["samples"].size(), 3u);
  ASSERT_EQ(profile["weights"].size(), 3u);
  EXPECT_EQ(profile["samples"][0], nlohmann::json({0, 1, 2}));
  EXPECT_DOUBLE_EQ(profile["weights"][0], 400) << "2 of 4 samples of 800 ns a request";
  EXPECT_DOUBLE_EQ(profile["endValue"], 800);
  EXPECT_EQ(profile["startValue"], 0);
}

TEST(Export, NamesThatAreNotUtf8CostNothingElse) {
  auto arm = example();
  arm.mutable_frames(0)->set_function("caf\xe9");
  EXPECT_TRUE(nlohmann::json::accept(speedscope(arm)));
}

TEST(Export, AViewHasBothItsAmounts) {
  hotlap::v1::Profile profile;
  *profile.add_arms() = example();
  hotlap::v1::View view;
  view.set_name("off-cpu");
  auto& arm = *view.add_arms();
  arm.set_arm("a");
  arm.set_requests(10);
  *arm.mutable_frames() = profile.arms(0).frames();
  auto* stack = arm.add_stacks();
  stack->add_frames(0);
  stack->add_frames(2);
  stack->set_first(4000.4);
  stack->set_second(5);
  arm.add_stacks()->set_first(1000);
  const auto files = exported(profile, view, 0);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "a.asleep.folded");
  EXPECT_EQ(files[0].text, "[no stack] 1000\nmain;tcp_sendmsg_[k] 4000\n");
  EXPECT_EQ(files[1].name, "a.sleeps.folded");
  EXPECT_EQ(files[1].text, "main;tcp_sendmsg_[k] 5\n");
  EXPECT_EQ(files[2].name, "a.off-cpu.speedscope.json");
  const auto file = nlohmann::json::parse(files[2].text);
  ASSERT_EQ(file["profiles"].size(), 2u);
  EXPECT_EQ(file["profiles"][0]["name"], "a: fast, asleep a request");
  EXPECT_EQ(file["profiles"][0]["unit"], "nanoseconds");
  EXPECT_DOUBLE_EQ(file["profiles"][0]["endValue"], 500.04);
  EXPECT_EQ(file["profiles"][1]["unit"], "none");
  EXPECT_DOUBLE_EQ(file["profiles"][1]["endValue"], 0.5);
}

}  // namespace
}  // namespace hotlap::profile
