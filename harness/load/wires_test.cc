// Streams of requests that differ, in simulated time: what a server is asked, in which order, and
// how its replies are judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/load/generator.h"
#include "harness/load/scripted_server.h"
#include "harness/load/simulated_server.h"

namespace hotlap::load {
namespace {

using Asked = SimulatedServer::Asked;
using Answer = SimulatedServer::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kS = 1'000'000'000;

// "/x" of "GET /x HTTP/1.1…".
std::string target_of(const Asked& asked) {
  const std::size_t begin = asked.text.find(' ') + 1;
  return asked.text.substr(begin, asked.text.find(' ', begin) - begin);
}

std::vector<std::string> targets(const SimulatedServer& server) {
  std::vector<std::string> all;
  for (const Asked& asked : server.asked()) all.push_back(target_of(asked));
  return all;
}

// After a millisecond, its own target as the body.
Answer echo(const Asked& asked) { return {asked.now_ns + kMs, reply(target_of(asked))}; }

struct Loaded {
  LoadReport report;
  std::string first_failure;
};

Loaded load(SimulatedServer& server, ArmSpec spec, const LoadPlan& plan) {
  EXPECT_TRUE(server.usable());
  std::string error;
  const auto generator = Generator::start({}, 1, error, &server);
  EXPECT_TRUE(generator) << error;
  const std::size_t arm = generator->add_arm(std::move(spec));
  EXPECT_EQ(generator->open(arm).error, "");
  Loaded loaded{generator->load(arm, plan, nullptr), generator->first_failure(arm)};
  EXPECT_EQ(loaded.report.counts.started, loaded.report.counts.classified());
  return loaded;
}

ArmSpec one_request(const SimulatedServer& server, std::string target, Ids ids) {
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.requests[0].target = std::move(target);
  spec.requests[0].body_rule = BodyRule::kAny;
  spec.connections = 1;
  spec.ids = ids;
  return spec;
}

LoadPlan requests(std::int64_t count) {
  LoadPlan plan;
  plan.requests = count;
  return plan;
}

TEST(Streams, ASequenceOfIdsIsAskedInOrder) {
  SimulatedServer server(echo);
  Ids ids;
  ids.first = 8;
  ids.last = 12;
  const Loaded loaded = load(server, one_request(server, "/item/{id}", ids), requests(7));
  EXPECT_EQ(loaded.report.counts.ok(), 7);
  EXPECT_THAT(targets(server), ElementsAre("/item/8", "/item/9", "/item/10", "/item/11", "/item/12",
                                           "/item/8", "/item/9"));
}

TEST(Streams, PipelinedRequestsHaveEachTheirOwnId) {
  SimulatedServer server(echo);
  ArmSpec spec = one_request(server, "/{id}", Ids{});
  spec.pipeline = 16;
  spec.connections = 3;
  EXPECT_EQ(load(server, spec, requests(300)).report.counts.ok(), 300);
  std::vector<std::string> seen = targets(server);
  ASSERT_EQ(seen.size(), 300U);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(Streams, MoreThanTheBufferHoldsGoesOutInParts) {
  SimulatedServer server(echo);
  ArmSpec spec = one_request(server, "/{id}", Ids{});
  spec.requests[0].headers = {{"X-Filler", std::string(100'000, 'x')}};
  spec.pipeline = 8;
  EXPECT_EQ(load(server, spec, requests(16)).report.counts.ok(), 16);
  std::vector<std::string> expected;
  for (int id = 1; id <= 16; ++id) expected.push_back("/" + std::to_string(id));
  EXPECT_EQ(targets(server), expected);
}

TEST(Streams, ArmsAreAskedForTheSameIds) {
  Ids ids;
  ids.kind = Ids::Kind::kRandom;
  ids.last = 1'000'000;
  ids.seed = 5;
  SimulatedServer one(echo);
  SimulatedServer other(echo);
  load(one, one_request(one, "/{id}", ids), requests(50));
  load(other, one_request(other, "/{id}", ids), requests(50));
  EXPECT_EQ(targets(one), targets(other));
  EXPECT_EQ(targets(one).size(), 50U);
}

TEST(Streams, RequestsWithoutAPlaceStayAsTheyAre) {
  SimulatedServer server(echo);
  ArmSpec spec = one_request(server, "/{id}", Ids{});
  spec.requests.push_back(RequestSpec{});
  spec.requests[1].target = "/fixed";
  load(server, spec, requests(4));
  EXPECT_THAT(targets(server), ElementsAre("/1", "/fixed", "/3", "/fixed"));
}

TEST(Streams, ABodyThatIsToBeOneAndTheSameIsCompared) {
  SimulatedServer server(echo);
  ArmSpec spec = one_request(server, "/{id}", Ids{});
  spec.requests[0].body_rule = BodyRule::kLearned;
  const LoadReport report = load(server, spec, requests(5)).report;
  EXPECT_EQ(report.counts.ok(), 1);
  EXPECT_EQ(report.counts[Outcome::kUnexpectedBody], 4);
}

std::shared_ptr<const ReplayLog> log_of(const std::string& text) {
  std::istringstream stream(text);
  std::string error;
  ReplayRules rules;
  rules.empty_bodies = true;
  auto log = ReplayLog::read(stream, rules, error);
  EXPECT_TRUE(log) << error;
  return log;
}

std::string line(int second, const std::string& request, const std::string& status) {
  const std::string digits = std::to_string(100 + second).substr(1);
  return "::1 - - [10/Oct/2000:13:55:" + digits + " +0000] \"" + request + " HTTP/1.1\" " + status +
         " 5\n";
}

const char kEmptyPost[] = "POST /p HTTP/1.1\r\nHost: localhost\r\nX: y\r\nContent-Length: 0";

ArmSpec replaying(const SimulatedServer& server, const std::string& log) {
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.requests[0].headers = {{"X", "y"}};
  spec.connections = 2;
  spec.replay = log_of(log);
  return spec;
}

TEST(Streams, ALogIsAskedAgainInItsOrderAndJudgedByIt) {
  SimulatedServer server([](const Asked& asked) {
    if (asked.text.starts_with("HEAD")) {
      return Answer{asked.now_ns + kMs, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"};
    }
    const bool there = target_of(asked) != "/gone" && target_of(asked) != "/new";
    return Answer{asked.now_ns + kMs,
                  there ? reply("x") : "HTTP/1.1 404 Not\r\nContent-Length: 0\r\n\r\n"};
  });
  ArmSpec spec = replaying(server, line(0, "GET /a", "200") + line(0, "HEAD /a", "200") +
                                       line(0, "GET /gone", "404") + line(0, "POST /p", "200") +
                                       line(0, "GET /new", "200"));
  spec.connections = 1;
  const Loaded loaded = load(server, spec, requests(10));
  EXPECT_EQ(loaded.report.counts.ok(), 8);
  EXPECT_EQ(loaded.report.counts[Outcome::kUnexpectedStatus], 2);
  EXPECT_THAT(loaded.first_failure, HasSubstr("status 404 where 200 was expected"));
  EXPECT_THAT(targets(server),
              ElementsAre("/a", "/a", "/gone", "/p", "/new", "/a", "/a", "/gone", "/p", "/new"));
  EXPECT_EQ(server.asked()[0].text, "GET /a HTTP/1.1\r\nHost: localhost\r\nX: y");
  EXPECT_EQ(server.asked()[3].text, kEmptyPost);
}

TEST(Streams, ALogIsAskedAgainByItsOwnTiming) {
  SimulatedServer server(echo);
  const std::string log = line(1, "GET /1", "200") + line(1, "GET /2", "200") +
                          line(4, "GET /3", "200") + line(9, "GET /4", "200");
  ArmSpec spec = replaying(server, log);
  LoadPlan plan;
  plan.duration_ns = 9 * kS / 3;
  plan.open.emplace();
  plan.open->arrivals.kind = Arrivals::Kind::kRecorded;
  plan.open->arrivals.timeline = spec.replay->timeline();
  plan.open->arrivals.speed = 3;
  const LoadReport report = load(server, spec, plan).report;
  EXPECT_EQ(report.counts.ok(), 4);
  EXPECT_EQ(report.counts.late, 0);
  EXPECT_THAT(targets(server), ElementsAre("/1", "/2", "/3", "/4"));
  const std::int64_t begin_ns = server.asked()[0].now_ns;
  std::vector<std::int64_t> at_ns;
  for (const Asked& asked : server.asked()) at_ns.push_back(asked.now_ns - begin_ns);
  EXPECT_THAT(at_ns, ElementsAre(0, 166'666'667, kS, 2'666'666'667));
}

TEST(Streams, WhatIsNeverSentIsSkippedAndNotPutOff) {
  // Busy from its first request on for five seconds.
  SimulatedServer server([](const Asked& asked) {
    return Answer{asked.now_ns + (target_of(asked) == "/1" ? 5 * kS : kMs), reply("x")};
  });
  ArmSpec spec = replaying(server, line(0, "GET /1", "200") + line(2, "GET /2", "200") +
                                       line(4, "GET /3", "200") + line(8, "GET /4", "200"));
  spec.connections = 1;
  spec.timeout_ns = 20 * kS;
  LoadPlan plan;
  plan.duration_ns = 9 * kS;
  plan.open.emplace();
  plan.open->arrivals.kind = Arrivals::Kind::kRecorded;
  plan.open->arrivals.timeline = spec.replay->timeline();
  const LoadReport report = load(server, spec, plan).report;
  EXPECT_EQ(report.counts.never_sent(), 2);
  EXPECT_THAT(targets(server), ElementsAre("/1", "/4"));
}

}  // namespace
}  // namespace hotlap::load
