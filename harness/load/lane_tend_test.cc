// What depends on time and not on a reply, in simulated time: the time-outs of a request's parts,
// and a load that is ended before its time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>

#include "harness/load/generator.h"
#include "harness/load/scripted_server.h"
#include "harness/load/simulated_server.h"

namespace hotlap::load {
namespace {

using Asked = SimulatedServer::Asked;
using Answer = SimulatedServer::Answer;
using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kS = 1'000'000'000;

struct Loaded {
  LoadReport report;
  std::string first_failure;
};

Loaded load(SimulatedServer& server, ArmSpec spec, std::int64_t duration_ns) {
  std::string error;
  const auto generator = Generator::start({}, 1, error, &server);
  EXPECT_TRUE(generator) << error;
  const std::size_t arm = generator->add_arm(std::move(spec));
  EXPECT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.duration_ns = duration_ns;
  plan.drain_ns = 20 * kS;
  Loaded loaded{generator->load(arm, plan, nullptr), ""};
  loaded.first_failure = generator->first_failure(arm);
  const Counts& counts = loaded.report.counts;
  EXPECT_EQ(counts.started, counts.classified());
  std::int64_t timeouts = 0;
  for (const std::int64_t count : counts.timeouts) timeouts += count;
  EXPECT_EQ(timeouts, counts[Outcome::kTimeout]);
  return loaded;
}

ArmSpec arm_of(const SimulatedServer& server, int connections = 1) {
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = connections;
  spec.timeout_ns = 5 * kS;
  return spec;
}

TEST(Timeout, OfTheFirstByte) {
  SimulatedServer silent([](const Asked&) { return Answer{SimulatedServer::kNever, ""}; });
  ArmSpec spec = arm_of(silent, 3);
  spec.first_byte_timeout_ns = 1 * kS;
  const Loaded loaded = load(silent, spec, 4 * kS - 1);
  EXPECT_EQ(loaded.report.counts.started, 12);
  EXPECT_EQ(loaded.report.counts.timeout(Wait::kFirstByte), 12);
  EXPECT_EQ(*loaded.report.times.failures.min_ns(), 1 * kS);
  EXPECT_EQ(*loaded.report.times.failures.max_ns(), 1 * kS);
  EXPECT_THAT(loaded.first_failure, HasSubstr("no byte of a reply within the time-out"));
}

TEST(Timeout, OfTheWholeReplyOnceItHasBegun) {
  SimulatedServer stalls([](const Asked& asked) {
    return Answer{asked.now_ns + 900 * kMs, reply("x").substr(0, 20)};
  });
  ArmSpec spec = arm_of(stalls, 2);
  spec.first_byte_timeout_ns = 1 * kS;
  const Loaded loaded = load(stalls, spec, 10 * kS - 1);
  EXPECT_EQ(loaded.report.counts.started, 4);
  EXPECT_EQ(loaded.report.counts.timeout(Wait::kWholeReply), 4);
  EXPECT_EQ(*loaded.report.times.failures.min_ns(), 5 * kS);
  EXPECT_EQ(*loaded.report.times.failures.max_ns(), 5 * kS);
  EXPECT_THAT(loaded.first_failure, HasSubstr("no whole reply within the time-out"));
}

TEST(Timeout, ThoseBehindAStalledReplyHadNotAByte) {
  bool begun = false;
  SimulatedServer stalls([&begun](const Asked& asked) {
    if (std::exchange(begun, true)) return Answer{SimulatedServer::kNever, ""};
    return Answer{asked.now_ns + 100 * kMs, reply("x").substr(0, 20)};
  });
  ArmSpec spec = arm_of(stalls);
  spec.pipeline = 3;
  const Loaded loaded = load(stalls, spec, 5 * kS - 1);
  EXPECT_EQ(loaded.report.counts.timeout(Wait::kWholeReply), 1);
  EXPECT_EQ(loaded.report.counts.timeout(Wait::kFirstByte), 2);
}

TEST(Timeout, WithoutPartsTheWholeHolds) {
  SimulatedServer silent([](const Asked&) { return Answer{SimulatedServer::kNever, ""}; });
  const Loaded loaded = load(silent, arm_of(silent), 10 * kS - 1);
  EXPECT_EQ(loaded.report.counts.timeout(Wait::kFirstByte), 2);
  EXPECT_EQ(*loaded.report.times.failures.min_ns(), 5 * kS);
}

// A server that takes the connection and never shakes hands.
TEST(Timeout, OfTheConnectionWithItsTls) {
  ScriptedServer silent([](Peer& peer) { peer.wait_for_end(); });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{silent.endpoint(), {RequestSpec{}}};
  spec.connections = 2;
  spec.keep_alive = false;
  spec.tls = TlsSpec{.verify = false};
  spec.timeout_ns = 60 * kS;
  spec.connect_timeout_ns = 50 * kMs;
  const std::size_t arm = generator->add_arm(spec);
  EXPECT_THAT(generator->open(arm).error, HasSubstr("only 0 of 2 connections"));
  LoadPlan plan;
  plan.requests = 4;
  const LoadReport report = generator->load(arm, plan, nullptr);
  EXPECT_EQ(report.counts.started, 4);
  EXPECT_EQ(report.counts[Outcome::kTimeout], 4);
  EXPECT_EQ(report.counts.timeout(Wait::kConnection), 4);
  EXPECT_GE(*report.times.failures.min_ns(), 50 * kMs);
  EXPECT_LT(*report.times.failures.max_ns(), 5 * kS);
  EXPECT_THAT(generator->first_failure(arm), HasSubstr("no connection within the time-out"));
}

// Every reply takes so long that a cancel's drain would not see one of them.
TEST(Stop, RepliesUnderWayAreAwaited) {
  ScriptedServer server([](Peer& peer) {
    while (peer.request()) {
      if (!peer.pause(300) || !peer.write(reply("x"))) return;
    }
  });
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = 4;
  const std::size_t arm = generator->add_arm(spec);
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.progress_every_ns = 20 * kMs;
  plan.drain_ns = 20 * kS;
  const LoadReport report = generator->load(arm, plan, [&](const LoadProgress& progress) {
    if (progress.counts.started > 0) generator->stop();
  });
  EXPECT_TRUE(report.cancelled);
  EXPECT_GT(report.counts.started, 0);
  EXPECT_EQ(report.counts.ok(), report.counts.started) << "none is left in flight";
}

TEST(Stop, ACancelAfterItEndsTheDrain) {
  ScriptedServer server([](Peer& peer) { peer.wait_for_end(); });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.timeout_ns = 60 * kS;
  const std::size_t arm = generator->add_arm(spec);
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.progress_every_ns = 20 * kMs;
  plan.drain_ns = 60 * kS;
  int calls = 0;
  const LoadReport report = generator->load(arm, plan, [&](const LoadProgress&) {
    if (++calls == 1) generator->stop();
    if (calls == 2) generator->cancel();
    if (calls > 2) generator->stop();  // takes nothing back
  });
  EXPECT_EQ(report.counts[Outcome::kInFlight], 16);
  EXPECT_LT(report.sending_ns, 20 * kS);
}

}  // namespace
}  // namespace hotlap::load
