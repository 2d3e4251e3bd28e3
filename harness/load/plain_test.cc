// The plain load against servers that behave and misbehave: every request ends in exactly one
// class, and in the right one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <set>

#include "harness/load/clock.h"
#include "harness/load/generator.h"
#include "harness/load/scripted_server.h"

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

struct Loaded {
  Opened opened;
  LoadReport report;
  Histogram latency;
  Histogram failures;
  std::string first_failure;
};

struct Settings {
  RequestSpec request{};
  int connections = 2;
  int threads = 1;
  bool keep_alive = true;
  std::int64_t timeout_ns = 5000 * kMs;
};

Loaded load(const Endpoint& endpoint, LoadPlan plan, Settings settings = {}) {
  Loaded loaded;
  std::string error;
  const auto generator = Generator::start({}, settings.threads, error);
  EXPECT_TRUE(generator) << error;
  ArmSpec spec{endpoint, {settings.request}};
  spec.connections = settings.connections;
  spec.keep_alive = settings.keep_alive;
  spec.timeout_ns = settings.timeout_ns;
  const std::size_t arm = generator->add_arm(std::move(spec));
  loaded.opened = generator->open(arm);
  loaded.report = generator->load(arm, plan, nullptr);
  loaded.latency = loaded.report.times.response;
  loaded.failures = loaded.report.times.failures;
  loaded.first_failure = generator->first_failure(arm);
  const Counts& counts = loaded.report.counts;
  EXPECT_EQ(counts.started, counts.classified());
  EXPECT_EQ(loaded.latency.count(), counts.ok());
  EXPECT_EQ(loaded.failures.count(), counts.failed());
  EXPECT_EQ(loaded.first_failure.empty(), counts.failed() == 0);
  return loaded;
}

LoadPlan requests(std::int64_t count) {
  LoadPlan plan;
  plan.requests = count;
  return plan;
}

LoadPlan milliseconds(std::int64_t ms) {
  LoadPlan plan;
  plan.duration_ns = ms * kMs;
  return plan;
}

// All of `count` requests were started and all ended in this class.
void expect_all(const Loaded& loaded, Outcome outcome, std::int64_t count) {
  EXPECT_EQ(loaded.report.counts.started, count);
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const auto other = static_cast<Outcome>(i);
    EXPECT_EQ(loaded.report.counts[other], other == outcome ? count : 0) << name(other);
  }
}

TEST(Load, ExactlySoManyRequestsAllOk) {
  ScriptedServer server(always(reply("hello")));
  const Loaded loaded = load(server.endpoint(), requests(500), {.connections = 3, .threads = 2});
  expect_all(loaded, Outcome::kOk, 500);
  EXPECT_EQ(server.accepted(), 3);
  EXPECT_EQ(loaded.report.bytes_received, 500 * static_cast<std::int64_t>(reply("hello").size()));
  EXPECT_GT(loaded.report.generator_cpu_ns, 0);
  EXPECT_GE(loaded.report.wall_ns, loaded.latency.max_ns());
}

// wrk#157: 15 connections over 8 threads became 8.
TEST(Load, FifteenConnectionsOnEightThreadsAreFifteen) {
  ScriptedServer server(always(reply("hello")));
  const Loaded loaded = load(server.endpoint(), requests(300), {.connections = 15, .threads = 8});
  EXPECT_EQ(loaded.opened.asked, 15);
  EXPECT_EQ(loaded.opened.achieved, 15);
  EXPECT_EQ(server.accepted(), 15);
  expect_all(loaded, Outcome::kOk, 300);
}

TEST(Load, MoreThreadsThanConnections) {
  ScriptedServer server(always(reply("hello")));
  const Loaded loaded = load(server.endpoint(), requests(100), {.connections = 2, .threads = 4});
  EXPECT_EQ(server.accepted(), 2);
  expect_all(loaded, Outcome::kOk, 100);
}

// nghttp2#2090.
TEST(Load, Ipv6HostHasBrackets) {
  std::mutex mutex;
  std::set<std::string> heads;
  ScriptedServer server(
      [&](Peer& peer) {
        while (const auto request = peer.request()) {
          const std::lock_guard lock(mutex);
          heads.insert(*request);
          peer.write(reply("x"));
        }
      },
      AF_INET6);
  if (server.host().empty()) GTEST_SKIP() << "this machine has no IPv6 loopback";
  expect_all(load(server.endpoint(), requests(10)), Outcome::kOk, 10);
  ASSERT_EQ(heads.size(), 1U);
  EXPECT_THAT(*heads.begin(), HasSubstr("\r\nHost: " + server.host() + "\r\n"));
  EXPECT_THAT(*heads.begin(), HasSubstr("Host: [::1]:"));
}

// wrk#118 and ponyc#1998.
TEST(Load, RepliesDelimitedByTheCloseAreWhole) {
  ScriptedServer server([](Peer& peer) {
    if (peer.request()) peer.write("HTTP/1.0 200 OK\r\n\r\nall of it");
  });
  expect_all(load(server.endpoint(), requests(50)), Outcome::kOk, 50);
}

TEST(Load, ConnectionCloseEachTimeIsNoError) {
  ScriptedServer server([](Peer& peer) {
    if (peer.request()) peer.write(reply("x", 200, "Connection: close\r\n"));
  });
  const Loaded loaded = load(server.endpoint(), requests(50));
  expect_all(loaded, Outcome::kOk, 50);
  EXPECT_EQ(loaded.report.reopened, 0);
  EXPECT_GE(server.accepted(), 50);
}

TEST(Load, AConnectionForEachRequest) {
  std::atomic<int> asked_to_close{0};
  ScriptedServer server([&](Peer& peer) {
    while (const auto request = peer.request()) {
      if (request->find("Connection: close\r\n") != std::string::npos) ++asked_to_close;
      peer.write(reply("x"));
    }
  });
  expect_all(load(server.endpoint(), requests(50), {.keep_alive = false}), Outcome::kOk, 50);
  EXPECT_EQ(asked_to_close.load(), 50);
  EXPECT_GE(server.accepted(), 50);
}

// fortio#127 and fasthttp#1078.
TEST(Load, ChunkedWithTrailersKeepsTheConnection) {
  ScriptedServer server([](Peer& peer) {
    while (peer.request()) {
      peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      if (!peer.pause(1)) return;  // the first size comes in a later read
      peer.write("5;x=y\r\nhello\r\n0\r\nExpires: never\r\n\r\n");
    }
  });
  expect_all(load(server.endpoint(), requests(50)), Outcome::kOk, 50);
  EXPECT_EQ(server.accepted(), 2);
}

TEST(Load, InterimRepliesHeadAndNoContent) {
  ScriptedServer interim(always("HTTP/1.1 100 Continue\r\n\r\n" + reply("x")));
  expect_all(load(interim.endpoint(), requests(20)), Outcome::kOk, 20);
  ScriptedServer head(always("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
  expect_all(load(head.endpoint(), requests(20), {.request = {.method = "HEAD"}}), Outcome::kOk,
             20);
  ScriptedServer empty(always("HTTP/1.1 204 No Content\r\n\r\n"));
  expect_all(load(empty.endpoint(), requests(20), {.request = {.expected_status = 204}}),
             Outcome::kOk, 20);
}

TEST(Load, BodiesLargerThanAnyBuffer) {
  ScriptedServer server(always(reply(std::string(3'000'000, 'b'))));
  expect_all(load(server.endpoint(), requests(10)), Outcome::kOk, 10);
}

TEST(Load, RequestsLargerThanTheSocketBuffer) {
  ScriptedServer server([](Peer& peer) {
    while (const auto request = peer.request()) {
      peer.write(reply(std::to_string(request->size())));
    }
  });
  RequestSpec request{.method = "POST"};
  request.body = std::string(8'000'000, 'r');
  expect_all(load(server.endpoint(), requests(4), {.request = request}), Outcome::kOk, 4);
}

TEST(Load, ALearnedBodyMustStay) {
  std::atomic<int> served{0};
  ScriptedServer server([&](Peer& peer) {
    while (peer.request()) peer.write(reply(served.fetch_add(1) == 30 ? "WRONG" : "right"));
  });
  const Loaded loaded = load(server.endpoint(), requests(100), {.connections = 1});
  EXPECT_EQ(loaded.report.counts[Outcome::kUnexpectedBody], 1);
  EXPECT_EQ(loaded.report.counts.ok(), 99);
  EXPECT_THAT(loaded.first_failure, HasSubstr("body"));
}

TEST(Load, BodyRules) {
  ScriptedServer numbered([](Peer& peer) {
    while (peer.request()) peer.write(reply("peer " + std::to_string(peer.number())));
  });
  RequestSpec request;
  request.body_rule = BodyRule::kLearnedPerConnection;
  expect_all(load(numbered.endpoint(), requests(50), {.request = request}), Outcome::kOk, 50);
  request.body_rule = BodyRule::kAny;
  expect_all(load(numbered.endpoint(), requests(50), {.request = request}), Outcome::kOk, 50);
  request.body_rule = BodyRule::kExact;
  request.expected_body = "peer 1";
  expect_all(load(numbered.endpoint(), requests(50), {.request = request}),
             Outcome::kUnexpectedBody, 50);
  request.expected_body = "x";
  ScriptedServer x(always(reply("x")));
  expect_all(load(x.endpoint(), requests(50), {.request = request}), Outcome::kOk, 50);
}

// the-benchmarker#3484: a server that only failed came out as the fastest.
TEST(Load, AllReplies502AreNoThroughput) {
  ScriptedServer server(always(reply("bad gateway", 502)));
  const Loaded loaded = load(server.endpoint(), requests(100));
  expect_all(loaded, Outcome::kUnexpectedStatus, 100);
  EXPECT_THAT(loaded.first_failure, HasSubstr("status 502 where 200 was expected"));
}

// TFB#7402: two replies a request doubled the rate.
TEST(Load, AnUnaskedReplyIsAProtocolError) {
  ScriptedServer together(always(reply("x") + reply("x")));
  expect_all(load(together.endpoint(), requests(20)), Outcome::kProtocol, 20);
  ScriptedServer apart([](Peer& peer) {
    while (peer.request()) {
      peer.write(reply("x"));
      peer.write(reply("x"));
    }
  });
  EXPECT_GT(load(apart.endpoint(), requests(50)).report.counts[Outcome::kProtocol], 0);
}

TEST(Load, ResetsAtEveryByte) {
  const std::string whole = reply("hello");
  for (std::size_t cut = 0; cut < whole.size(); cut += 3) {
    for (const bool hard : {true, false}) {
      ScriptedServer server([&](Peer& peer) {
        if (!peer.request()) return;
        peer.write(whole.substr(0, cut));
        if (hard) peer.reset();
      });
      expect_all(load(server.endpoint(), requests(4)), Outcome::kReset, 4);
    }
  }
}

TEST(Load, HalfClosedAfterAWholeReply) {
  ScriptedServer server([](Peer& peer) {
    if (!peer.request()) return;
    peer.write(reply("x", 200, "Connection: close\r\n"));
    peer.close_write();
    peer.wait_for_end();
  });
  expect_all(load(server.endpoint(), requests(20)), Outcome::kOk, 20);
}

TEST(Load, MalformedRepliesAreProtocolErrors) {
  for (const std::string bytes :
       {"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    ScriptedServer server(always(bytes));
    expect_all(load(server.endpoint(), requests(4)), Outcome::kProtocol, 4);
  }
  ScriptedServer endless([](Peer& peer) {
    if (!peer.request() || !peer.write("HTTP/1.1 200 OK\r\n")) return;
    while (peer.write("X-Again: and again\r\n")) {
    }
  });
  expect_all(load(endless.endpoint(), requests(4)), Outcome::kProtocol, 4);
}

TEST(Load, ALengthThatLies) {
  ScriptedServer more(always("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhello"));
  expect_all(load(more.endpoint(), requests(4)), Outcome::kProtocol, 4);
  ScriptedServer less(always("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello"));
  expect_all(load(less.endpoint(), requests(2), {.timeout_ns = 100 * kMs}), Outcome::kTimeout, 2);
}

// wrk#297: no time-out was ever counted.
TEST(Load, AHandlerThatNeverAnswersTimesOutOnceEach) {
  ScriptedServer server([](Peer& peer) { peer.wait_for_end(); });
  const std::int64_t before_ns = monotonic_ns();
  const Loaded loaded =
      load(server.endpoint(), requests(6), {.connections = 3, .timeout_ns = 100 * kMs});
  const std::int64_t took_ns = monotonic_ns() - before_ns;
  expect_all(loaded, Outcome::kTimeout, 6);
  EXPECT_GE(*loaded.failures.min_ns(), 100 * kMs);
  EXPECT_LT(*loaded.failures.max_ns(), 1000 * kMs);
  EXPECT_GE(took_ns, 200 * kMs);
}

TEST(Load, RefusedConnectionsAreCountedAndNotHammered) {
  std::string error;
  Endpoint nobody;
  {
    ScriptedServer gone(always("x"));
    nobody = gone.endpoint();
  }
  const Loaded loaded = load(nobody, milliseconds(100));
  EXPECT_EQ(loaded.opened.achieved, 0);
  EXPECT_THAT(loaded.opened.error, HasSubstr("only 0 of 2 connections"));
  EXPECT_THAT(loaded.opened.error, HasSubstr("refused"));
  EXPECT_GE(loaded.report.counts[Outcome::kConnect], 2);
  EXPECT_LE(loaded.report.counts[Outcome::kConnect], 24);
  EXPECT_EQ(loaded.report.counts[Outcome::kConnect], loaded.report.counts.started);
}

// oha#4: most of 2,000 connections were missing, silently.
TEST(Load, TheDescriptorLimitIsToldWithBothNumbers) {
  ScriptedServer server(always(reply("x")));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit tight = before;
  tight.rlim_cur = 40;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = 2000;
  const std::size_t arm = generator->add_arm(std::move(spec));
  const Opened opened = generator->open(arm);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(opened.asked, 2000);
  EXPECT_LT(opened.achieved, 40);
  EXPECT_THAT(opened.error, HasSubstr("only " + std::to_string(opened.achieved) + " of 2000"));
  EXPECT_THAT(opened.error, HasSubstr("40 file descriptors"));
}

// wrk2#134: a listener let 100 of 1,000 in, silently.
TEST(Load, AListenerThatTakesNoMoreIsTold) {
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), any, length), 0);
  ASSERT_EQ(::listen(listener.get(), 2), 0);
  ASSERT_EQ(::getsockname(listener.get(), any, &length), 0);
  std::string error;
  const auto endpoint =
      Endpoint::parse("127.0.0.1:" + std::to_string(ntohs(address.sin_port)), error);
  ASSERT_TRUE(endpoint) << error;
  const auto generator = Generator::start({}, 2, error);
  ArmSpec spec{*endpoint, {RequestSpec{}}};
  spec.connections = 20;
  spec.timeout_ns = 200 * kMs;
  const std::size_t arm = generator->add_arm(std::move(spec));
  const Opened opened = generator->open(arm);
  EXPECT_EQ(opened.asked, 20);
  EXPECT_LT(opened.achieved, 20);
  EXPECT_THAT(opened.error, HasSubstr("only " + std::to_string(opened.achieved) + " of 20"));
  EXPECT_THAT(opened.error, HasSubstr("backlog"));
  const LoadReport report = generator->load(arm, requests(20), nullptr);
  EXPECT_EQ(report.counts.started, 20);
  EXPECT_EQ(report.counts[Outcome::kTimeout], 20) << "connecting counts towards the time-out";
}

// wrk#140, oha#777, ghz#370: what is in flight at the end is a class of its own.
TEST(Load, UnansweredAtTheEndIsInFlight) {
  std::atomic<int> served{0};
  ScriptedServer server([&](Peer& peer) {
    while (peer.request() && served.fetch_add(1) < 20) peer.write(reply("x"));
    peer.wait_for_end();
  });
  LoadPlan plan = milliseconds(100);
  plan.drain_ns = 50 * kMs;
  const Loaded loaded = load(server.endpoint(), plan);
  EXPECT_EQ(loaded.report.counts.ok(), 20);
  EXPECT_EQ(loaded.report.counts[Outcome::kInFlight], 2);
  EXPECT_LT(loaded.report.wall_ns, 2000 * kMs);
}

TEST(Load, SlowRepliesAtTheEndAreAwaited) {
  ScriptedServer server([](Peer& peer) {
    while (peer.request() && peer.pause(120)) peer.write(reply("x"));
  });
  const Loaded loaded = load(server.endpoint(), milliseconds(50));
  expect_all(loaded, Outcome::kOk, 2);
  EXPECT_GE(*loaded.latency.min_ns(), 119 * kMs);
}

// wrk#99, as a closed loop sees it: one slow sample, and not half of them.
TEST(Load, OneStallIsOneSlowSample) {
  std::atomic<bool> stalled{false};
  ScriptedServer server([&](Peer& peer) {
    const std::int64_t start_ns = monotonic_ns();
    while (peer.request()) {
      if (monotonic_ns() - start_ns > 100 * kMs && !stalled.exchange(true) && !peer.pause(300)) {
        return;
      }
      peer.write(reply("x"));
    }
  });
  const Loaded loaded = load(server.endpoint(), milliseconds(500), {.connections = 1});
  EXPECT_GE(*loaded.latency.max_ns(), 299 * kMs);
  EXPECT_LT(*loaded.latency.quantile_ns(0.9), 100 * kMs);
  ASSERT_TRUE(loaded.report.little_ratio);
  EXPECT_NEAR(*loaded.report.little_ratio, 1.0, 0.05);
}

// wrk#438: mean latency times throughput must be the connections.
TEST(Load, LittlesLawHolds) {
  ScriptedServer server(always(reply("x")));
  const Loaded loaded =
      load(server.endpoint(), milliseconds(300), {.connections = 4, .threads = 2});
  ASSERT_TRUE(loaded.report.little_ratio);
  EXPECT_NEAR(*loaded.report.little_ratio, 1.0, 0.05);
}

TEST(Load, ProgressComesWhileItRuns) {
  ScriptedServer server(always(reply("x")));
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  const std::size_t arm = generator->add_arm({server.endpoint(), {RequestSpec{}}});
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan = milliseconds(300);
  plan.progress_every_ns = 50 * kMs;
  int calls = 0;
  std::int64_t last = 0;
  const LoadReport report = generator->load(arm, plan, [&](const LoadProgress& progress) {
    ++calls;
    EXPECT_GE(progress.counts.ok(), last);
    last = progress.counts.ok();
  });
  EXPECT_GE(calls, 2);
  EXPECT_GT(last, 0);
  EXPECT_GE(report.counts.ok(), last);
  EXPECT_EQ(report.counts.started, report.counts.ok());
}

TEST(Load, WhatCannotBeLoadedIsToldByOpen) {
  ScriptedServer server(always(reply("x")));
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {}};
  EXPECT_THAT(generator->open(generator->add_arm(spec)).error, HasSubstr("at least one request"));
  spec.requests = {RequestSpec{.target = "/a b"}};
  EXPECT_THAT(generator->open(generator->add_arm(spec)).error, HasSubstr("/a b"));
  spec.requests = {RequestSpec{}};
  spec.connections = 0;
  const std::size_t arm = generator->add_arm(spec);
  EXPECT_THAT(generator->open(arm).error, HasSubstr("at least one connection"));
  EXPECT_THAT(generator->open(99).error, HasSubstr("99"));
  EXPECT_EQ(generator->load(arm, requests(1), nullptr).counts.started, 0);
  EXPECT_THAT(generator->run({{arm, kMs}}, nullptr).error, HasSubstr("never opened"));
  EXPECT_EQ(Generator::start({}, 0, error), nullptr);
  EXPECT_THAT(error, HasSubstr("at least one thread"));
  EXPECT_EQ(Generator::start({100'000}, 1, error), nullptr);
  EXPECT_THAT(error, HasSubstr("100000"));
}

}  // namespace
}  // namespace hotlap::load
