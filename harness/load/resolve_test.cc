// Names that need no name server: what they mean, and which of their addresses is taken.
#include "harness/load/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/load/scripted_server.h"

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSecondNs = 1'000'000'000;

std::string resolved(std::string_view text) {
  std::string error;
  std::string places;
  for (const Endpoint& endpoint : resolve(text, error)) places += endpoint.place() + " ";
  return places.empty() ? error : places;
}

TEST(Resolve, AddressesAreThemselves) {
  EXPECT_EQ(resolved("127.0.0.1:80"), "127.0.0.1:80 ");
  EXPECT_EQ(resolved("[::1]:80"), "[::1]:80 ");
  EXPECT_EQ(resolved("unix:/x"), "unix:/x ");
}

TEST(Resolve, AName) {
  std::string error;
  const std::vector<Endpoint> found = resolve("localhost:8080", error);
  ASSERT_FALSE(found.empty()) << error;
  for (const Endpoint& endpoint : found) {
    EXPECT_TRUE(endpoint.place() == "127.0.0.1:8080" || endpoint.place() == "[::1]:8080");
    EXPECT_EQ(endpoint.host(), "localhost:8080") << "what Host says";
    EXPECT_EQ(endpoint.text(), "localhost:8080 (" + endpoint.place() + ")");
  }
  EXPECT_TRUE(found.size() == 1 || found[0].place() != found[1].place());
}

TEST(Resolve, WhatMeansNothingIsNamed) {
  // RFC 6761: no name server knows it.
  EXPECT_THAT(resolved("no-such-host.invalid:80"), HasSubstr("'no-such-host.invalid'"));
  EXPECT_THAT(resolved("no-such-host.invalid:80"), HasSubstr("was not found"));
  EXPECT_THAT(resolved("127.1:80"), HasSubstr("four numbers"));
  EXPECT_THAT(resolved("name:http"), HasSubstr("port"));
  EXPECT_THAT(resolved(":80"), HasSubstr("HOST:PORT"));
  EXPECT_THAT(resolved("name"), HasSubstr("HOST:PORT"));
}

TEST(Resolve, TheFirstThatAnswersIsTaken) {
  std::string gone;
  { gone = ScriptedServer(always("")).host(); }
  const ScriptedServer server(always(""));
  std::string error;
  const Endpoint dead = *Endpoint::parse(gone, error);
  auto taken = first_that_answers({dead, server.endpoint()}, kSecondNs, error);
  ASSERT_TRUE(taken) << error;
  EXPECT_EQ(taken->place(), server.host());
  EXPECT_FALSE(first_that_answers({dead, dead}, kSecondNs, error));
  EXPECT_THAT(error, HasSubstr("2 addresses"));
  EXPECT_THAT(error, HasSubstr(gone + " (Connection refused)"));
  taken = first_that_answers({dead}, kSecondNs, error);
  ASSERT_TRUE(taken) << "one alone is not tried: the load will tell";
  EXPECT_EQ(taken->place(), gone);
}

}  // namespace
}  // namespace hotlap::load
