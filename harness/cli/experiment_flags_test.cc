// Flags become the experiment that was meant, and each mistake gets a sentence.
#include "harness/cli/experiment_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ExperimentFlags, AStageBecomesArmsAroundTheBase) {
  ExperimentFlags flags;
  flags.stage = "request_line=regex,scalar";
  flags.base = "fast";
  flags.more_arms = {"server:floor"};
  const auto experiment = flags.experiment();
  ASSERT_TRUE(experiment.ok()) << experiment.status();
  ASSERT_EQ(experiment->arms_size(), 3);
  EXPECT_EQ(experiment->arms(1).name(), "b");
  EXPECT_EQ(experiment->arms(1).target().pipeline(), "fast,request_line=scalar");
  EXPECT_EQ(experiment->arms(2).target().server(), "floor");
}

TEST(ExperimentFlags, NeedsSomethingToCompare) {
  ExperimentFlags flags;
  EXPECT_THAT(flags.experiment().status().ToString(), HasSubstr("--stage"));
  flags.a = "fast";
  EXPECT_THAT(flags.experiment().status().ToString(), HasSubstr("--b TARGET"));
  flags.b = "fast";
  flags.base = "fast";
  EXPECT_THAT(flags.experiment().status().ToString(), HasSubstr("--stage, which is absent"));
  flags.stage = "date=per_request,per_second";
  EXPECT_THAT(flags.experiment().status().ToString(), HasSubstr("not both"));
}

TEST(ExperimentFlags, ASeedIsAWholeNumber) {
  ExperimentFlags flags;
  flags.stage = "date=per_request,per_second";
  flags.seed = "18446744073709551615";
  EXPECT_EQ(flags.experiment()->seed(), 18446744073709551615u);
  for (const char* bad : {"-1", "99999999999999999999", "x", "1.5"}) {
    flags.seed = bad;
    EXPECT_THAT(flags.experiment().status().ToString(), HasSubstr("whole number")) << bad;
  }
}

TEST(ArmFlags, AVariableBelongsToItsArm) {
  ExperimentFlags flags;
  flags.a = flags.b = "fast";
  flags.more_arms = {"fast"};
  flags.arms.a_env = {"GOGC=off", "EMPTY="};
  flags.arms.b_env = {"X=a=b:c"};
  flags.arms.more_env = {"c:Y=1:2"};
  const auto experiment = flags.experiment();
  ASSERT_TRUE(experiment.ok()) << experiment.status();
  EXPECT_EQ(experiment->arms(0).environment(0).value(), "off");
  EXPECT_EQ(experiment->arms(0).environment(1).value(), "");
  EXPECT_EQ(experiment->arms(1).environment(0).value(), "a=b:c");
  EXPECT_EQ(experiment->arms(2).environment(0).name(), "Y");
  EXPECT_EQ(experiment->arms(2).environment(0).value(), "1:2");
  for (const char* bad : {"X", "=x", ""}) {
    flags.arms.a_env = {bad};
    EXPECT_THAT(flags.experiment().status().ToString(), HasSubstr("NAME=VALUE")) << bad;
  }
}

TEST(WorkloadFlags, ReadsRequestsHeadersAndBody) {
  WorkloadFlags flags;
  flags.requests = {"POST /echo", "/hello"};
  flags.headers = {"X-A: b: c"};
  flags.body = "abc";
  flags.close = true;
  const auto workload = flags.workload();
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_EQ(workload->requests(0).method(), "POST");
  EXPECT_EQ(workload->requests(1).target(), "/hello");
  EXPECT_EQ(workload->requests(0).headers(0).name(), "X-A");
  EXPECT_EQ(workload->requests(0).headers(0).value(), "b: c");
  EXPECT_EQ(workload->requests(0).body(), "abc");
  EXPECT_FALSE(workload->keep_alive());
  flags.headers = {"no colon"};
  EXPECT_THAT(flags.workload().status().ToString(), HasSubstr("Name: value"));
  flags.headers = {};
  flags.requests = {"GET /a b c"};
  EXPECT_FALSE(flags.workload().ok());
  flags.requests = {};
  flags.body = "@/does/not/exist";
  EXPECT_THAT(flags.workload().status().ToString(), HasSubstr("cannot be read"));
  flags.body = "@/tmp";
  EXPECT_THAT(flags.workload().status().ToString(), HasSubstr("directory"));
}

TEST(ParseCpuList, ReadsRangesAndRefusesTheRest) {
  EXPECT_THAT(*parse_cpu_list("0,2-4,3"), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(*parse_cpu_list(""), ElementsAre());
  for (const char* text : {"x", "3-1", "1-2-3", "-", "99999"}) {
    EXPECT_FALSE(parse_cpu_list(text).ok()) << text;
  }
}

TEST(ParsePlan, ListsWhatExists) {
  EXPECT_EQ(parse_plan("ci")->kind(), hotlap::v1::Plan::CI);
  EXPECT_EQ(parse_plan("fixed:24")->rounds(), 24u);
  for (const char* text : {"", "slow", "fixed:", "fixed:0", "fixed:-3"}) {
    EXPECT_THAT(parse_plan(text).status().ToString(), HasSubstr("quick, ci, fixed:N")) << text;
  }
}

}  // namespace
}  // namespace hotlap::cli
