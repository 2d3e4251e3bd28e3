// A variant that this machine cannot run is refused by name, with its reason and what there is
// instead, and never replaced by another: in a spec, in the lists, and at the server's command
// line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "server/pipeline.h"

namespace hotlap::variants {
namespace {

using namespace server;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kReason[] = "it is planted, and no processor has what it asks for";

struct Ended {
  int code = -1;
  std::string text;  // standard output and error
};

Ended run_server(const std::string& arguments) {
  const std::string command = HOTLAP_PLANTED_SERVER " " + arguments + " 2>&1";
  Ended ended;
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return ended;
  for (int c = 0; (c = std::fgetc(output)) != EOF;) ended.text += static_cast<char>(c);
  const int status = pclose(output);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

TEST(Unsupported, ASpecNamesItTheReasonAndWhatRunsHere) {
  std::string error;
  EXPECT_FALSE(parse_pipeline("fast,request_line=unsupported", error));
  EXPECT_THAT(error, AllOf(HasSubstr("request_line=unsupported"), HasSubstr(kReason),
                           HasSubstr("request_line has, of those that run here, scalar, regex"),
                           Not(HasSubstr(", unsupported"))));
}

TEST(Unsupported, AMisspeltNameStillListsAllThereAre) {
  std::string error;
  EXPECT_FALSE(parse_pipeline("request_line=unsuported", error));
  EXPECT_THAT(error, HasSubstr(", unsupported"));
}

TEST(Unsupported, NoNeighbourHasIt) {
  std::string error;
  const auto baseline = parse_pipeline("baseline", error);
  ASSERT_TRUE(baseline) << error;
  const auto specs = one_factor_away(*baseline);
  EXPECT_FALSE(specs.empty());
  for (const std::string& spec : specs) EXPECT_THAT(spec, Not(HasSubstr("unsupported")));
}

TEST(Unsupported, TheCommandLineEndsWithThree) {
  for (const char* flags : {"--describe", ""}) {
    const Ended ended = run_server("--pipeline request_line=unsupported " + std::string(flags));
    EXPECT_EQ(ended.code, 3) << ended.text;
    EXPECT_THAT(ended.text, AllOf(HasSubstr("request_line=unsupported"), HasSubstr(kReason),
                                  HasSubstr("scalar"), Not(HasSubstr("listening"))));
  }
}

TEST(Unsupported, TheListsSayThatItDoesNotRunHere) {
  const Ended list = run_server("--list");
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.text, HasSubstr(std::string("does not run here: ") + kReason));
  const Ended json = run_server("--list --json");
  EXPECT_EQ(json.code, 0);
  EXPECT_THAT(json.text, HasSubstr(std::string("\"supported\": false, \"reason\": \"") + kReason));
}

}  // namespace
}  // namespace hotlap::variants
