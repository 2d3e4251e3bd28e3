// Specs: what they come to, and that every error names what exists.
#include "server/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "server/ballast_chain.h"
#include "variants/registry.h"

namespace hotlap::server {
namespace {

using ::testing::HasSubstr;

std::string describe(std::string_view spec) {
  std::string error;
  const auto pipeline = parse_pipeline(spec, error);
  return pipeline ? describe_pipeline(*pipeline) : "error: " + error;
}

bool variant_is_missing(std::string_view spec) {
  return describe(spec).find("not supported on this machine") != std::string::npos;
}

TEST(Pipeline, ProfilesAndChanges) {
  EXPECT_EQ(describe(""), describe("baseline"));
  EXPECT_THAT(describe("fast"), HasSubstr("request_line=scalar"));
  EXPECT_THAT(describe("original"), HasSubstr("dispatch=thread_pool:1"));
  EXPECT_THAT(describe("fast,address=cached,ballast=chain:800"), HasSubstr("address=cached"));
  EXPECT_THAT(describe("ballast=chain:800"), HasSubstr("ballast=chain:800"));
  EXPECT_THAT(describe("date=per_second,date=per_request"), HasSubstr("date=per_request"));
}

// What would measure the same twice under two names, or not work.
TEST(Pipeline, WaysToWaitThatDoNotGoTogetherAreRefused) {
  EXPECT_THAT(describe("dispatch=thread_pool,readiness=pselect"), HasSubstr("readiness=pselect"));
  EXPECT_THAT(describe("fast,dispatch=thread_pool"), HasSubstr("readiness=epoll_edge"));
  if (variant_is_missing("dispatch=io_uring")) GTEST_SKIP() << describe("dispatch=io_uring");
  for (const char* other : {"readiness=poll", "readiness=pselect", "receive=peek_then_recv"}) {
    EXPECT_THAT(describe(std::string("dispatch=io_uring,") + other),
                HasSubstr("dispatch=io_uring is impossible here: "))
        << other;
  }
}

TEST(Pipeline, APeekNeedsTheBytesOfTheSocket) {
  std::string error;
  auto pipeline = parse_pipeline("receive=peek_then_recv", error);
  ASSERT_TRUE(pipeline) << error;
  TransportStage indirect = *pipeline->transport.variant;
  indirect.direct = false;
  pipeline->transport.variant = &indirect;
  EXPECT_FALSE(check_conflicts(*pipeline, error));
  EXPECT_THAT(error, HasSubstr("receive=peek_then_recv is impossible here: "));
}

// A contract may refuse by any reason: one is planted.
TEST(Pipeline, AnImpossibleCombinationIsRefusedWithTheReason) {
  std::string error;
  auto pipeline = parse_pipeline("fast", error);
  ASSERT_TRUE(pipeline) << error;
  EXPECT_TRUE(check_conflicts(*pipeline, error));
  ResponseStage choosy = *pipeline->response.variant;
  choosy.info.name = "choosy";
  choosy.info.valid_with = [](const Pipeline& with) -> const char* {
    return std::string_view(with.date.variant->info.name) == "per_second"
               ? "it needs date=per_request"
               : nullptr;
  };
  pipeline->response.variant = &choosy;
  EXPECT_FALSE(check_conflicts(*pipeline, error));
  EXPECT_EQ(error, "response=choosy is impossible here: it needs date=per_request");
}

TEST(Pipeline, TheEchoIsItselfASpec) {
  for (const Profile* profile = profiles_begin(); profile != profiles_end(); ++profile) {
    EXPECT_EQ(describe(describe(profile->name)), describe(profile->name));
  }
}

TEST(Pipeline, ErrorsSayWhatExists) {
  EXPECT_THAT(describe("fastest"), HasSubstr("baseline, fast, original"));
  EXPECT_THAT(describe("fast,fast"), HasSubstr("error"));
  EXPECT_THAT(describe("fast,"), HasSubstr("error"));
  EXPECT_THAT(describe("fast,dates=x"), HasSubstr("socket_options"));
  EXPECT_THAT(describe("date=never"), HasSubstr("per_second, per_request"));
  EXPECT_THAT(describe("date=per_second:1"), HasSubstr("takes no argument"));
  for (const char* spec :
       {"ballast=chain", "ballast=chain:", "ballast=chain:-1", "ballast=chain:1x",
        "dispatch=thread_pool:0", "dispatch=inline_pollers:1000"}) {
    EXPECT_THAT(describe(spec), HasSubstr("error: ")) << spec;
  }
}

TEST(Pipeline, NeighboursCoverEveryVariantThatRunsHere) {
  std::string error;
  const auto base = parse_pipeline("baseline", error);
  ASSERT_TRUE(base) << error;
  std::set<std::string> seen;
  std::vector<std::string> specs = one_factor_away(*base);
  specs.push_back(describe_pipeline(*base));
  for (const std::string& spec : specs) {
    const auto pipeline = parse_pipeline(spec, error);
    ASSERT_TRUE(pipeline) << error;
#define HOTLAP_SEE(stage, type) seen.insert(std::string(#stage) + "=" + pipeline->stage->info.name);
    HOTLAP_STAGES(HOTLAP_SEE)
#undef HOTLAP_SEE
  }
  std::size_t listed = 0;
  for (int stage = 0; stage < kStageCount; ++stage) {
    for (const VariantInfo* info : variants::infos_of(static_cast<StageId>(stage))) {
      listed += unsupported_reason(*info) == nullptr ? 1 : 0;
    }
  }
  EXPECT_EQ(seen.size(), listed);
}

TEST(Pipeline, GrowingDeclaresItsFault) {
  std::string error;
  EXPECT_EQ(pipeline_exemptions(*parse_pipeline("original", error)), kExemptGrowing);
  EXPECT_EQ(pipeline_exemptions(*parse_pipeline("fast", error)), kExemptNone);
}

TEST(Ballast, EveryStepChangesTheChain) {
  EXPECT_EQ(ballast_chain(0, 7), 7u);
  std::uint64_t step_by_step = 7;
  for (int i = 0; i < 100; ++i) step_by_step = ballast_chain(1, step_by_step);
  EXPECT_EQ(ballast_chain(100, 7), step_by_step);
}

}  // namespace
}  // namespace hotlap::server
