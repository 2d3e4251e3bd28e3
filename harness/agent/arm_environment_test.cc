// Variables of one arm: what is refused, what the loader's grumbling becomes, how they are written.
#include "harness/agent/arm_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

using hotlap::v1::Arm;
using testing::HasSubstr;

Arm with(const std::vector<std::pair<std::string, std::string>>& variables) {
  Arm arm;
  arm.set_name("b");
  arm.mutable_target()->set_pipeline("fast");
  for (const auto& [name, value] : variables) {
    auto* variable = arm.add_environment();
    variable->set_name(name);
    variable->set_value(value);
  }
  return arm;
}

std::string error_of(const Arm& arm) { return std::string(check_environment(arm).message()); }

TEST(ArmEnvironment, RefusesWhatCannotBeSet) {
  EXPECT_TRUE(check_environment(with({{"GOGC", "off"}, {"EMPTY", ""}, {"A", "b=c"}})).ok());
  EXPECT_THAT(error_of(with({{"", "x"}})), HasSubstr("must have a name"));
  EXPECT_THAT(error_of(with({{"A=B", "x"}})), HasSubstr("without '='"));
  EXPECT_THAT(error_of(with({{"A", std::string("x\0y", 3)}})), HasSubstr("zero byte"));
  EXPECT_THAT(error_of(with({{"A", "1"}, {"A", "2"}})), HasSubstr("arm b: variable \"A\""));
  EXPECT_THAT(error_of(with({{"HOTLAP_PADDING", "x"}})), HasSubstr("drawn by hotlap"));
  Arm url = with({{"A", "1"}});
  url.mutable_target()->set_url("http://127.0.0.1:1");
  EXPECT_THAT(error_of(url), HasSubstr("runs already"));
}

TEST(ArmEnvironment, ALibraryThatWasNotLoadedIsAnError) {
  EXPECT_TRUE(check_preloaded("listening on 127.0.0.1:1\n").ok());
  const absl::Status missing = check_preloaded(
      "listening on 127.0.0.1:1\nERROR: ld.so: object '/no.so' from LD_PRELOAD cannot be preloaded "
      "(cannot open shared object file): ignored.\n");
  EXPECT_TRUE(absl::IsFailedPrecondition(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("/no.so"));
}

TEST(ArmEnvironment, IsWrittenAsAShellReadsIt) {
  EXPECT_EQ(environment_words(with({})), "");
  EXPECT_EQ(environment_words(with({{"GOGC", "off"}, {"G", "it's a"}, {"E", ""}})),
            "GOGC=off G='it'\\''s a' E='' ");
}

}  // namespace
}  // namespace hotlap::agent
