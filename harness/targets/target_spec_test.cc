// Endpoints, URLs and the argv of every kind.
#include "harness/targets/target_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::targets {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(EndpointTest, ParsesAndPrintsBothFamilies) {
  for (const char* text : {"127.0.0.1:80", "[::1]:8080", "localhost:65535"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    EXPECT_EQ(endpoint->to_string(), text);
  }
}

TEST(EndpointTest, RefusesWhatIsNoEndpoint) {
  for (const char* text : {"", ":80", "host", "host:", "host:0", "host:65536", "host:8x", "::1:80",
                           "[]:80", "[::1:80", "host:-1", "host: 80", "host:+80"}) {
    EXPECT_FALSE(parse_endpoint(text).ok()) << text;
  }
}

TEST(UrlTest, PortIsOptionalAndPathIgnored) {
  EXPECT_EQ(parse_url("http://[::1]:8080/a?b")->to_string(), "[::1]:8080");
  EXPECT_EQ(parse_url("http://[::1]/")->to_string(), "[::1]:80");
  EXPECT_EQ(parse_url("http://10.0.0.1")->to_string(), "10.0.0.1:80");
  EXPECT_FALSE(parse_url("https://10.0.0.1").ok());
  EXPECT_FALSE(parse_url("http://").ok());
}

std::string refusal(const std::string& server) {
  const auto found = find_program({TargetKind::kServer, server}, "/nowhere");
  return found.ok() ? "found " + *found : std::string(found.status().message());
}

// Programs of hotlap that are no reference servers are neither run nor offered as such.
TEST(ReferenceServerTest, AnUnknownOneIsToldWhichThereAre) {
  for (const char* name : {"nosuch", "", "launch", "server", "micro", "../floor"}) {
    EXPECT_THAT(refusal(name), AllOf(HasSubstr("there are: asio, floor, go, nginx"),
                                     Not(HasSubstr("micro,")), Not(HasSubstr("found"))))
        << name;
  }
}

TEST(ReferenceServerTest, OneThatWasNotBuiltSaysWhatForWantOf) {
  EXPECT_THAT(refusal("go"), AllOf(HasSubstr("golang-go"), HasSubstr("/nowhere/hotlap-go")));
  EXPECT_THAT(refusal("floor"), AllOf(HasSubstr("/nowhere/hotlap-floor"), HasSubstr("build it"),
                                      Not(HasSubstr("golang-go"))));
}

TEST(ArgvTest, EveryKind) {
  EXPECT_THAT(*build_argv({TargetKind::kPipeline, "fast,ballast=chain:8"}, "/b/hotlap-server", 0),
              ElementsAre("/b/hotlap-server", "--pipeline", "fast,ballast=chain:8", "--listen",
                          "127.0.0.1:0"));
  EXPECT_THAT(*build_argv({TargetKind::kServer, "floor"}, "/b/hotlap-floor", 0),
              ElementsAre("/b/hotlap-floor", "--listen", "127.0.0.1:0"));
  EXPECT_FALSE(build_argv({TargetKind::kUrl, "http://h:1"}, "", 0).ok());
}

TEST(ArgvTest, ASimpleCommandTakesTheShellsPlace) {
  const auto shell = [](const std::string& command) {
    return build_argv({TargetKind::kCommand, command}, "/bin/sh", 81)->back();
  };
  EXPECT_EQ(shell("srv -p {port} -q {port}"), "exec srv -p 81 -q 81");
  EXPECT_EQ(shell("cd /x && ./srv {port}"), "cd /x && ./srv 81");
  EXPECT_EQ(shell("A=1 srv {port}"), "A=1 srv 81");
  EXPECT_EQ(shell("exec srv {port}"), "exec srv 81");
}

}  // namespace
}  // namespace hotlap::targets
