// Each kind is read, and each mistake gets a sentence that says what to write instead.
#include "harness/cli/target_grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseTarget, ReadsEveryKindAndPrintsItBack) {
  for (const char* text :
       {"fast", "fast,address=lazy", "ballast=chain:800", "fast,ballast=chain:800", "server:asio",
        "cmd:env A=b ./srv --listen 127.0.0.1:{port}", "url:http://[::1]:8080"}) {
    const auto target = parse_target(text);
    ASSERT_TRUE(target.ok()) << text << ": " << target.status();
    EXPECT_EQ(target_text(*target), text);
  }
  EXPECT_TRUE(parse_target("ballast=chain:800")->has_pipeline());
  EXPECT_EQ(parse_target("cmd:a:b {port}")->command(), "a:b {port}");
}

TEST(ParseTarget, SaysWhatIsWrong) {
  EXPECT_THAT(parse_target("").status().ToString(), HasSubstr("empty target"));
  EXPECT_THAT(parse_target("svr:asio").status().ToString(), HasSubstr("unknown kind \"svr\""));
  EXPECT_THAT(parse_target("cmd:./srv").status().ToString(), HasSubstr("{port}"));
  EXPECT_THAT(parse_target("server:").status().ToString(), HasSubstr("nothing after its kind"));
  EXPECT_THAT(parse_target("url:ftp://x").status().ToString(), HasSubstr("http://"));
  EXPECT_THAT(parse_target("url:http://1.2.3.4:80/a?b").status().ToString(),
              HasSubstr("--request /a?b"));
  EXPECT_TRUE(parse_target("url:http://1.2.3.4:80/").ok());
  EXPECT_THAT(parse_target("git:HEAD").status().ToString(), HasSubstr("cmd: targets"));
}

TEST(ExpandStage, MakesATargetAVariant) {
  EXPECT_THAT(*expand_stage("request_line=regex,scalar", "fast"),
              ElementsAre("fast,request_line=regex", "fast,request_line=scalar"));
  EXPECT_THAT(*expand_stage("ballast=none,chain:100,chain:200", "baseline"),
              ElementsAre("baseline,ballast=none", "baseline,ballast=chain:100",
                          "baseline,ballast=chain:200"));
}

TEST(ExpandStage, NeedsAStageAndTwoVariants) {
  EXPECT_THAT(expand_stage("regex,scalar", "fast").status().ToString(), HasSubstr("STAGE=VARIANT"));
  EXPECT_THAT(expand_stage("request_line=regex", "fast").status().ToString(),
              HasSubstr("needs two"));
  EXPECT_THAT(expand_stage("request_line=regex,", "fast").status().ToString(),
              HasSubstr("empty variant"));
}

}  // namespace
}  // namespace hotlap::cli
