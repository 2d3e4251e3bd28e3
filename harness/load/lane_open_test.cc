// The open loop in simulated time: every number is exact, and none depends on the machine. The
// cases carry the bug reports of other tools that they come from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "harness/load/generator.h"
#include "harness/load/scripted_server.h"
#include "harness/load/simulated_server.h"

namespace hotlap::load {
namespace {

using Asked = SimulatedServer::Asked;
using Answer = SimulatedServer::Answer;

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kS = 1'000'000'000;

// Ready after so long, whatever else it does.
SimulatedServer::Character answers_after(std::int64_t service_ns) {
  return [=](const Asked& asked) { return Answer{asked.now_ns + service_ns, reply("x")}; };
}

// One request after the other, each for so long.
SimulatedServer::Character one_at_a_time(std::int64_t service_ns) {
  auto free_at_ns = std::make_shared<std::int64_t>(0);
  return [=](const Asked& asked) {
    *free_at_ns = std::max(*free_at_ns, asked.now_ns) + service_ns;
    return Answer{*free_at_ns, reply("x")};
  };
}

// A histogram knows a value to 0.1 %.
void expect_within_a_bucket(std::int64_t value_ns, std::int64_t expected_ns) {
  EXPECT_NEAR(static_cast<double>(value_ns), static_cast<double>(expected_ns),
              static_cast<double>(expected_ns) / 1000);
}

OpenLoop at_rate(double rate_per_s, std::int64_t most_waiting = 0) {
  OpenLoop loop;
  loop.arrivals.rate_per_s = rate_per_s;
  loop.most_waiting = most_waiting;
  return loop;
}

struct Settings {
  int connections = 1;
  int pipeline = 1;
  bool keep_alive = true;
  std::int64_t timeout_ns = 10 * kS;
  std::int64_t requests = 0;  // of the plan: no bound
};

LoadReport load(SimulatedServer& server, std::int64_t duration_ns, std::optional<OpenLoop> open,
                const Settings& settings = {}) {
  EXPECT_TRUE(server.usable());
  std::string error;
  const auto generator = Generator::start({}, 1, error, &server);
  EXPECT_TRUE(generator) << error;
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = settings.connections;
  spec.pipeline = settings.pipeline;
  spec.keep_alive = settings.keep_alive;
  spec.timeout_ns = settings.timeout_ns;
  const std::size_t arm = generator->add_arm(std::move(spec));
  EXPECT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.duration_ns = duration_ns;
  plan.requests = settings.requests;
  plan.drain_ns = 20 * kS;
  plan.open = open;
  LoadReport report = generator->load(arm, plan, nullptr);
  EXPECT_EQ(report.counts.started, report.counts.classified());
  EXPECT_EQ(report.times.response.count(), report.counts.ok());
  EXPECT_EQ(report.times.failures.count(), report.counts.failed());
  EXPECT_EQ(report.pacing.has_value(), open.has_value());
  if (open) {
    EXPECT_EQ(report.pacing->lateness.count(), report.counts.sent());
    EXPECT_EQ(report.times.service.count(), report.counts.ok());
  }
  return report;
}

TEST(OpenLoop, SendsThePlanAndNothingElse) {
  SimulatedServer server(answers_after(50 * kUs));
  const LoadReport report = load(server, 2 * kS, at_rate(1000), {.connections = 4});
  EXPECT_EQ(report.counts.started, 2000);
  EXPECT_EQ(report.counts.ok(), 2000);
  EXPECT_EQ(report.counts.late, 0);
  EXPECT_EQ(report.sending_ns, 2 * kS);
  EXPECT_EQ(*report.times.response.max_ns(), 50 * kUs);
  EXPECT_EQ(*report.times.service.min_ns(), 50 * kUs);
  EXPECT_EQ(*report.pacing->lateness.max_ns(), 0);
  EXPECT_EQ(report.pacing->worst_gap_ns, 0);
  ASSERT_EQ(server.asked().size(), 2000U);
  for (std::size_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(server.asked()[i].now_ns - server.asked()[0].now_ns, static_cast<int>(i) * kMs);
    EXPECT_EQ(server.asked()[i].connection, static_cast<int>(i % 4)) << "each in its turn";
  }
}

// wrk#99: one connection, ten seconds, stopped for five of them: every tool said 5 s for p50.
SimulatedServer::Character stopped_for_five_seconds(std::int64_t service_ns) {
  return [=](const Asked& asked) {
    const std::int64_t from_ns = 3 * kS;  // simulated time begins at 1 s
    const bool stopped = asked.now_ns >= from_ns && asked.now_ns < from_ns + 5 * kS;
    return Answer{stopped ? from_ns + 5 * kS : asked.now_ns + service_ns, reply("x")};
  };
}

TEST(OpenLoop, AStallIsFeltByAllWhoCameMeanwhile) {
  SimulatedServer server(stopped_for_five_seconds(10 * kUs));
  const LoadReport report = load(server, 10 * kS, at_rate(1000, 10'000));
  EXPECT_EQ(report.counts.ok(), 10'000);
  EXPECT_EQ(report.counts.never_sent(), 0);
  const Histogram& response = report.times.response;
  expect_within_a_bucket(*response.quantile_ns(0.49), 10 * kUs);
  EXPECT_NEAR(static_cast<double>(*response.quantile_ns(0.75)), 2.5 * kS, 0.05 * kS);
  EXPECT_NEAR(static_cast<double>(*response.max_ns()), 5.0 * kS, 0.01 * kS);
  // What the server took: one request of 5 s.
  expect_within_a_bucket(*report.times.service.quantile_ns(0.999), 10 * kUs);
  EXPECT_EQ(*report.times.service.max_ns(), 5 * kS);
  EXPECT_NEAR(static_cast<double>(report.counts.late), 5000, 60);
  // All of that waited for the connection: the generator itself was never late.
  EXPECT_EQ(*report.pacing->lateness.max_ns(), 0);
}

TEST(ClosedLoop, AStallIsOneSlowSample) {
  SimulatedServer server(stopped_for_five_seconds(kMs));
  const LoadReport report = load(server, 10 * kS, std::nullopt);
  EXPECT_EQ(*report.times.response.max_ns(), 5 * kS);
  expect_within_a_bucket(*report.times.response.quantile_ns(0.999), kMs);
  EXPECT_EQ(report.counts.ok(), 5001);
  ASSERT_TRUE(report.little_ratio);
  EXPECT_NEAR(*report.little_ratio, 1.0, 0.001);
}

// oha#577: 55 of 300 sent, and no word of it.
TEST(OpenLoop, ARateThatCannotBeMetIsAccountedFor) {
  SimulatedServer server(one_at_a_time(100 * kMs));
  const LoadReport report = load(server, 3 * kS, at_rate(100, 1000), {.connections = 2});
  EXPECT_EQ(report.counts.started, 300);
  EXPECT_EQ(report.counts.ok(), 32);  // 10 a second, and one more on each connection
  EXPECT_EQ(report.counts.sent(), 32);
  EXPECT_EQ(report.counts.never_sent(), 268);
  EXPECT_EQ(report.counts.late, 30);
}

TEST(OpenLoop, WithoutAQueueWhatCannotGoAtItsTimeNeverGoes) {
  SimulatedServer server(answers_after(25 * kMs));
  const LoadReport report = load(server, 3 * kS, at_rate(100));
  // Free again after 25 ms: every third start finds it so.
  EXPECT_EQ(report.counts.started, 300);
  EXPECT_EQ(report.counts.ok(), 100);
  EXPECT_EQ(report.counts.never_sent(), 200);
  EXPECT_EQ(report.counts.late, 0);
  EXPECT_EQ(*report.times.response.max_ns(), 25 * kMs);
}

TEST(OpenLoop, TheQueueIsBounded) {
  SimulatedServer server(one_at_a_time(100 * kMs));
  const LoadReport report = load(server, 3 * kS, at_rate(100, 5));
  EXPECT_EQ(report.counts.started, 300);
  EXPECT_EQ(report.counts.ok() + report.counts.never_sent(), 300);
  EXPECT_NEAR(static_cast<double>(report.counts.ok()), 30, 1);
  // Five wait, one is served: nobody who was sent had waited for more than six starts.
  EXPECT_LE(*report.times.response.max_ns(), 160 * kMs);
}

// wrk#297: no time-out was ever counted.
TEST(OpenLoop, AHandlerThatNeverAnswersTimesOutEachTime) {
  SimulatedServer server([](const Asked&) { return Answer{SimulatedServer::kNever, ""}; });
  const LoadReport report =
      load(server, 10 * kS, at_rate(1, 100), {.connections = 100, .timeout_ns = 5 * kS});
  EXPECT_EQ(report.counts.started, 10);
  EXPECT_EQ(report.counts[Outcome::kTimeout], 10);
  EXPECT_EQ(*report.times.failures.min_ns(), 5 * kS);
  EXPECT_EQ(*report.times.failures.max_ns(), 5 * kS);
}

TEST(ClosedLoop, AHandlerThatNeverAnswersTimesOutEachTime) {
  SimulatedServer server([](const Asked&) { return Answer{SimulatedServer::kNever, ""}; });
  const LoadReport report =
      load(server, 12 * kS, std::nullopt, {.connections = 3, .timeout_ns = 5 * kS});
  EXPECT_EQ(report.counts.started, 9);
  EXPECT_EQ(report.counts[Outcome::kTimeout], 9);
  EXPECT_EQ(*report.times.failures.min_ns(), 5 * kS);
  EXPECT_EQ(*report.times.failures.max_ns(), 5 * kS);
}

// wrk#140, oha#777, ghz#370: what is in flight at the end is a class of its own.
TEST(OpenLoop, UnansweredAtTheEndIsInFlight) {
  SimulatedServer server([](const Asked& asked) {
    const bool answers = asked.now_ns < 1 * kS + 500 * kMs;
    return Answer{answers ? asked.now_ns + kMs : SimulatedServer::kNever, reply("x")};
  });
  const LoadReport report =
      load(server, 1 * kS, at_rate(10), {.connections = 20, .timeout_ns = 60 * kS});
  EXPECT_EQ(report.counts.ok(), 5);
  EXPECT_EQ(report.counts[Outcome::kInFlight], 5);
  EXPECT_EQ(report.counts.failed(), 0);
}

// fortio#1080: every reply after 500 ms, and p50 was 299 ms.
TEST(OpenLoop, EqualTimesHaveThatTimeAsEveryQuantile) {
  SimulatedServer server(answers_after(500 * kMs));
  const LoadReport report = load(server, 20 * kS, at_rate(10), {.connections = 10});
  for (const double q : {0.0, 0.01, 0.5, 0.99, 1.0}) {
    EXPECT_EQ(*report.times.response.quantile_ns(q), 500 * kMs) << q;
  }
}

TEST(OpenLoop, PoissonArrivalsAreWhatTheSeedSays) {
  OpenLoop loop = at_rate(2000, 1000);
  loop.arrivals.kind = Arrivals::Kind::kPoisson;
  loop.arrivals.seed = 7;
  std::vector<Asked> first;
  for (int run = 0; run < 2; ++run) {
    SimulatedServer server(answers_after(10 * kUs));
    const LoadReport report = load(server, 5 * kS, loop, {.connections = 8});
    EXPECT_NEAR(static_cast<double>(report.counts.ok()), 10'000, 400);  // four deviations
    // Kolmogorov and Smirnov at 0.1 %.
    EXPECT_LT(*report.pacing->gap_distance(), 1.95 / std::sqrt(report.counts.ok()));
    if (run == 0) {
      first = server.asked();
      continue;
    }
    ASSERT_EQ(server.asked().size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      ASSERT_EQ(server.asked()[i].now_ns, first[i].now_ns);
    }
  }
}

// The same numbers of a plan that is not kept: the check must see it.
TEST(OpenLoop, GapsThatAreNotExponentialAreSeen) {
  OpenLoop loop = at_rate(2000, 1000);
  loop.arrivals.kind = Arrivals::Kind::kPoisson;
  SimulatedServer server(one_at_a_time(499 * kUs));  // one connection: it evens the gaps out
  const LoadReport report = load(server, 5 * kS, loop);
  EXPECT_GT(*report.pacing->gap_distance(), 0.2);
}

TEST(OpenLoop, BurstsComeTogether) {
  OpenLoop loop = at_rate(100, 100);
  loop.arrivals.kind = Arrivals::Kind::kBurst;
  loop.arrivals.burst = 20;
  SimulatedServer server(answers_after(kMs));
  const LoadReport report = load(server, 1 * kS, loop, {.connections = 20});
  EXPECT_EQ(report.counts.ok(), 100);
  ASSERT_EQ(server.asked().size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(server.asked()[i].now_ns, 1 * kS + static_cast<int>(i / 20) * 200 * kMs);
  }
}

TEST(OpenLoop, SoManyRequestsAndNoMore) {
  SimulatedServer server(answers_after(kMs));
  const LoadReport report = load(server, 0, at_rate(100, 10), {.requests = 25});
  EXPECT_EQ(report.counts.ok(), 25);
  EXPECT_EQ(report.counts.started, 25);
  EXPECT_EQ(report.wall_ns, 241 * kMs);
}

// The last of them ends the load: nothing waits for a start that would find none left.
TEST(OpenLoop, OneRequestIsOverWhenItIsAnswered) {
  SimulatedServer server(answers_after(kMs));
  const LoadReport report = load(server, 1000 * kS, at_rate(0.01), {.requests = 1});
  EXPECT_EQ(report.counts.ok(), 1);
  EXPECT_EQ(report.wall_ns, kMs);
}

TEST(OpenLoop, ARateIsOfAllTheTimeInWhichRequestsCouldCome) {
  SimulatedServer server(answers_after(kMs));
  const LoadReport report = load(server, 2 * kS, at_rate(0.5));
  EXPECT_EQ(report.counts.ok(), 1);
  EXPECT_EQ(report.wall_ns, 2 * kS) << "and not until the reply";
}

TEST(OpenLoop, AConnectionForEachRequest) {
  SimulatedServer server(answers_after(kMs));
  const LoadReport report =
      load(server, 1 * kS, at_rate(50), {.connections = 2, .keep_alive = false});
  EXPECT_EQ(report.counts.ok(), 50);
  EXPECT_EQ(server.asked().back().connection, 49) << "counted from 0";
}

// wrk#236, wrk2#50: with pipelining the latency was 0, and not all that was sent was counted.
TEST(Pipelining, EachRequestHasItsOwnTime) {
  SimulatedServer server(one_at_a_time(kMs));
  const LoadReport report = load(server, 1 * kS, std::nullopt, {.connections = 1, .pipeline = 10});
  EXPECT_EQ(report.counts.sent(), static_cast<std::int64_t>(server.asked().size()));
  EXPECT_EQ(report.counts.ok(), report.counts.started);
  EXPECT_NEAR(static_cast<double>(report.counts.ok()), 1010, 10);
  expect_within_a_bucket(*report.times.response.quantile_ns(0.5), 10 * kMs);
  EXPECT_EQ(*report.times.response.min_ns(), 1 * kMs) << "the first of the first ten";
  ASSERT_TRUE(report.little_ratio);
  EXPECT_NEAR(*report.little_ratio, 1.0, 0.01);
}

LoadReport pipelined(const ScriptedServer& server, std::int64_t requests, int depth) {
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = 2;
  spec.pipeline = depth;
  const std::size_t arm = generator->add_arm(std::move(spec));
  EXPECT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.requests = requests;
  LoadReport report = generator->load(arm, plan, nullptr);
  EXPECT_EQ(report.counts.started, report.counts.classified());
  EXPECT_EQ(report.times.response.count(), report.counts.ok());
  return report;
}

TEST(Pipelining, WhatWasSentIsReceived) {
  std::atomic<std::int64_t> received{0};
  ScriptedServer server([&](Peer& peer) {
    while (peer.request()) {
      ++received;
      // Some replies in several pieces, others several in one.
      const std::string one = reply(received % 3 == 0 ? std::string(40'000, 'x') : "x");
      if (!peer.write(one.substr(0, 20)) || !peer.write(one.substr(20))) return;
    }
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{.body_rule = BodyRule::kAny}}};
  spec.connections = 3;
  spec.pipeline = 7;
  const std::size_t arm = generator->add_arm(std::move(spec));
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.requests = 1000;
  const LoadReport report = generator->load(arm, plan, nullptr);
  EXPECT_EQ(report.counts.ok(), 1000);
  EXPECT_EQ(received.load(), 1000);
}

// TFB#7402.
TEST(Pipelining, AReplyTooManyIsAProtocolError) {
  ScriptedServer server([](Peer& peer) {
    std::string replies = reply("x");
    for (int asked = 0; asked < 4; ++asked) {
      if (!peer.request()) return;
      replies += reply("x");
    }
    peer.write(replies);
    peer.request();
  });
  const LoadReport report = pipelined(server, 8, 4);
  EXPECT_EQ(report.counts[Outcome::kProtocol], 2) << "the last that either connection awaits";
  EXPECT_EQ(report.counts.ok(), 6);
}

TEST(Pipelining, AConnectionThatEndsTakesItsRequestsAlong) {
  ScriptedServer server([](Peer& peer) {
    for (int served = 0; served < 5; ++served) {
      if (!peer.request() || !peer.write(reply("x"))) return;
    }
    peer.reset();
  });
  const LoadReport report = pipelined(server, 200, 4);
  EXPECT_GT(report.counts.ok(), 0);
  EXPECT_GT(report.counts[Outcome::kReset], 0);
  EXPECT_EQ(report.counts.ok() + report.counts[Outcome::kReset], 200);
}

TEST(Pipelining, TheOpenLoopUsesTheDepthToo) {
  SimulatedServer server(answers_after(35 * kMs));
  const LoadReport report = load(server, 1 * kS, at_rate(100), {.connections = 1, .pipeline = 4});
  EXPECT_EQ(report.counts.ok(), 100);
  EXPECT_EQ(*report.times.response.max_ns(), 35 * kMs);
}

TEST(OpenLoop, TwelveThreadsShareARateOfTen) {
  ScriptedServer server(always(reply("x")));
  std::string error;
  const auto generator = Generator::start({}, 12, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = 12;
  const std::size_t arm = generator->add_arm(std::move(spec));
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.duration_ns = 500 * kMs;
  plan.open = at_rate(10, 100);
  const LoadReport report = generator->load(arm, plan, nullptr);
  EXPECT_EQ(report.counts.started, 5);
  EXPECT_EQ(report.counts.ok(), 5);
}

TEST(OpenLoop, SimulatedTimeIsForOneThread) {
  SimulatedServer server(answers_after(1));
  std::string error;
  EXPECT_EQ(Generator::start({}, 2, error, &server), nullptr);
  EXPECT_THAT(error, ::testing::HasSubstr("one load thread"));
}

}  // namespace
}  // namespace hotlap::load
