// What `hotlap load`'s flags ask for, and which of them are refused since they would do nothing.
#include "harness/cli/load_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace hotlap::cli {
namespace {

using hotlap::v1::LoadRequest;
using hotlap::v1::OpenLoop;
using ::testing::HasSubstr;

absl::StatusOr<LoadRequest> parse(std::vector<std::string> words) {
  CLI::App app;
  LoadFlags flags;
  flags.add_to(app);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::Error& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return flags.request();
}

void expect_refused(const std::vector<std::string>& words, const std::vector<std::string>& told) {
  const auto request = parse(words);
  ASSERT_FALSE(request.ok());
  for (const std::string& word : told) {
    EXPECT_THAT(std::string(request.status().message()), HasSubstr(word));
  }
}

TEST(LoadFlags, ReadAsWrks) {
  const auto request =
      parse({"-t8", "-c15", "-d", "2m", "--timeout", "1500ms", "http://127.0.0.1:8080/hello?x=1"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->endpoint(), "127.0.0.1:8080");
  EXPECT_EQ(request->workload().threads(), 8U);
  EXPECT_EQ(request->workload().connections(), 15U);
  EXPECT_EQ(request->workload().timeout_ms(), 1500U);
  EXPECT_EQ(request->workload().requests(0).target(), "/hello?x=1");
  ASSERT_EQ(request->workload().requests(0).headers_size(), 1);
  EXPECT_EQ(request->workload().requests(0).headers(0).value(), "127.0.0.1:8080") << "Host";
  EXPECT_EQ(request->duration_s(), 120);
  EXPECT_FALSE(request->has_open());
}

TEST(LoadFlags, SoManyRequestsTakeWhatTheyTake) {
  auto request = parse({"-n", "5000", "http://1.2.3.4/"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->requests(), 5000);
  EXPECT_EQ(request->duration_s(), 0);
  request = parse({"--requests=5000", "-d", "3s", "http://1.2.3.4/"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->requests(), 5000);
  EXPECT_EQ(request->duration_s(), 3);
  expect_refused({"-n5", "--max-rate-within", "p99<5ms", "http://1.2.3.4/"}, {"--requests"});
}

TEST(LoadFlags, WhatWouldBreakARequestIsRefused) {
  expect_refused({"--host", "", "http://1.2.3.4/"}, {"--host"});
  expect_refused({"--host", "a b", "http://1.2.3.4/"}, {"--host", "a b"});
  expect_refused({"-H", "content-length: 5", "http://1.2.3.4/"}, {"Content-Length", "--body"});
  expect_refused({"-H", "Transfer-Encoding: chunked", "http://1.2.3.4/"}, {"--body"});
}

TEST(LoadFlags, TwoFormsInOneFileAreRefused) {
  expect_refused({"--csv", "x", "--hgrm", "x", "http://1.2.3.4/"}, {"--csv", "--hgrm"});
}

TEST(LoadFlags, AHeaderIsOneWordAndLeavesTheUrlsAlone) {
  const auto request = parse({"-H", "A: 1", "-H", "B: 2", "http://1.2.3.4/a", "http://1.2.3.4/b"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->workload().requests_size(), 2);
  EXPECT_EQ(request->workload().requests(1).headers_size(), 3) << "and Host";
}

TEST(LoadFlags, AnOpenLoop) {
  auto request = parse({"-R", "0.5", "http://[::1]:80/"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->endpoint(), "[::1]:80");
  EXPECT_EQ(request->open().rate_per_s(), 0.5);
  EXPECT_EQ(request->open().arrivals(), OpenLoop::CONSTANT);
  EXPECT_FALSE(request->open().has_most_waiting());
  request =
      parse({"--rate=9", "--arrivals=poisson", "--seed=7", "--catch-up=none", "http://1.2.3.4"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->endpoint(), "1.2.3.4:80");
  EXPECT_EQ(request->open().arrivals(), OpenLoop::POISSON);
  EXPECT_EQ(request->open().seed(), 7U);
  EXPECT_TRUE(request->open().has_most_waiting());
  EXPECT_EQ(request->open().most_waiting(), 0U);
  request = parse({"-R9", "--arrivals=burst:5", "--catch-up=bounded:30", "http://1.2.3.4/"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->open().burst(), 5U);
  EXPECT_EQ(request->open().most_waiting(), 30U);
}

TEST(LoadFlags, IdsAndTheirSeed) {
  auto request = parse({"--ids", "random:0001..2000", "--seed", "7", "http://1.2.3.4/{id}"});
  ASSERT_TRUE(request.ok()) << request.status();
  const auto& ids = request->workload().ids();
  EXPECT_EQ(ids.kind(), hotlap::v1::Ids::RANDOM);
  EXPECT_EQ(ids.first(), 1U);
  EXPECT_EQ(ids.last(), 2000U);
  EXPECT_EQ(ids.width(), 4U);
  EXPECT_EQ(ids.seed(), 7U);
  EXPECT_FALSE(request->has_open());
  EXPECT_FALSE(request->workload().requests(0).same_body());
  request = parse({"--ids", "seq:1..", "--same-body", "http://1.2.3.4/{id}"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_TRUE(request->workload().requests(0).same_body());
}

TEST(LoadFlags, AReplayByItsOwnTimingEndsWithItsLog) {
  auto request = parse({"--replay", "x/../y.log", "--replay-speed", "2x", "http://1.2.3.4"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->workload().replay().path(), ::testing::EndsWith("/y.log"));
  EXPECT_THAT(request->workload().replay().path(), ::testing::StartsWith("/"));
  EXPECT_EQ(request->open().arrivals(), OpenLoop::RECORDED);
  EXPECT_EQ(request->open().speed(), 2);
  EXPECT_EQ(request->duration_s(), 0) << "the log's";
  request = parse(
      {"--replay", "y.log", "--replay-speed", "0.5", "-d", "3s", "--expect=any", "http://1.2.3.4"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->duration_s(), 3);
  EXPECT_TRUE(request->workload().replay().any_status());
  request = parse({"--replay", "y.log", "--replay-bodies", "empty", "http://1.2.3.4"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->duration_s(), 10);
  EXPECT_FALSE(request->has_open());
  EXPECT_EQ(request->workload().replay().bodies(), hotlap::v1::Replay::EMPTY);
}

TEST(LoadFlags, SeveralUrlsWithWeights) {
  const auto request = parse({"--weights", "3,1", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b"});
  ASSERT_TRUE(request.ok()) << request.status();
  ASSERT_EQ(request->workload().requests_size(), 2);
  EXPECT_EQ(request->workload().requests(0).weight(), 3U);
  EXPECT_EQ(request->workload().requests(1).target(), "/b");
  EXPECT_EQ(request->workload().requests(1).weight(), 1U);
  expect_refused({"http://127.0.0.1:1/a", "http://127.0.0.1:2/b"}, {"two servers", "--connect-to"});
  expect_refused({"--weights", "1,2,3", "http://1.2.3.4/a", "http://1.2.3.4/b"}, {"3", "2 URLs"});
}

TEST(LoadFlags, ConnectsElsewhereThanTheUrlSays) {
  auto request = parse({"--connect-to", "127.0.0.1:99", "http://a.test/x", "http://b.test:8/y"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->endpoint(), "127.0.0.1:99");
  EXPECT_EQ(request->workload().requests(0).headers(0).value(), "a.test");
  EXPECT_EQ(request->workload().requests(1).headers(0).value(), "b.test:8");
  request = parse({"--unix", "/tmp/x", "--host", "c.test", "http://a.test/x"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->endpoint(), "unix:/tmp/x");
  EXPECT_EQ(request->workload().requests(0).headers(0).name(), "Host");
  EXPECT_EQ(request->workload().requests(0).headers(0).value(), "c.test");
  request = parse({"--unix", "x", "http://a.test/x"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->endpoint(), ::testing::StartsWith("unix:/")) << "the agent may be elsewhere";
}

TEST(LoadFlags, HostIsAsTheUrlSays) {
  const auto request = parse({"http://localhost/", "http://LOCALHOST:80/b"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->endpoint(), "localhost:80");
  EXPECT_EQ(request->workload().requests(0).headers(0).value(), "localhost");
  EXPECT_EQ(request->workload().requests(1).headers(0).value(), "LOCALHOST:80");
}

TEST(LoadFlags, TimeoutsOfThreeKinds) {
  const std::string url = "http://127.0.0.1:1/";
  const auto request = parse(
      {"--timeout", "2s", "--connect-timeout", "100ms", "--first-byte-timeout", "1500us", url});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->workload().timeout_ms(), 2000U);
  EXPECT_EQ(request->connect_timeout_ms(), 100U);
  EXPECT_EQ(request->first_byte_timeout_ms(), 2U);
  EXPECT_FALSE(parse({url})->has_connect_timeout_ms());
  expect_refused({"--connect-timeout", "5s", url}, {"--connect-timeout", "5000 ms in all"});
  expect_refused({"--timeout", "1s", "--first-byte-timeout", "2s", url},
                 {"--first-byte-timeout", "1000 ms"});
  expect_refused({"--connect-timeout", "soon", url}, {"--connect-timeout", "soon"});
}

TEST(LoadFlags, WhatWouldHaveNoEffectIsRefused) {
  const std::string url = "http://127.0.0.1:1/";
  expect_refused({"--catch-up", "none", url}, {"--catch-up", "--rate"});
  expect_refused({"--arrivals", "poisson", url}, {"--arrivals", "--rate"});
  expect_refused({"--seed", "1", url}, {"--seed", "--rate"});
  expect_refused({"-R", "1", "--seed", "1", url}, {"--seed", "poisson"});
  expect_refused({"--ids", "seq:1..2", "--seed", "1", url + "{id}"}, {"--seed", "random"});
  expect_refused({"--weights", "1", url}, {"--weights", "one URL"});
  expect_refused({"--max-rate-within", "p99<5ms", "--csv", "x", url}, {"--csv", "search"});
  expect_refused({"-R", "9", "--out", "x", url}, {"--out", "--max-rate-within"});
  expect_refused({"--json", "--latency", url}, {"--latency", "--json"});
  expect_refused({"--request", "/a", url + "b"}, {"/b", "--request"});
  expect_refused({"--request", "/a", url, url}, {"--request"});
  expect_refused({"--unix", "/x", "--connect-to", "1.2.3.4:5", url}, {"--unix", "--connect-to"});
  expect_refused({"--timeout", "1s", "--timeout-ms", "5", url}, {"--timeout"});
  expect_refused({"--host", "a", "-H", "host: b", url}, {"--host"});
}

TEST(LoadFlags, WhatCannotBeReadIsNamed) {
  const std::string url = "http://127.0.0.1:1/";
  expect_refused({"127.0.0.1:80"}, {"127.0.0.1:80", "http://"});
  expect_refused({"http:///x"}, {"names no host"});
  expect_refused({"-d", "soon", url}, {"soon", "10s"});
  expect_refused({"-R", "1", "--arrivals", "burst:0", url}, {"burst:0", "burst:N"});
  expect_refused({"-R", "1", "--catch-up", "all", url}, {"all", "bounded:N"});
  expect_refused({"-R", "1", "--arrivals", "poisson", "--seed", "x", url}, {"--seed", "x"});
}

}  // namespace
}  // namespace hotlap::cli
