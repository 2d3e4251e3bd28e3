// Slices: nothing is in flight at their edges, failures are counted and connections come back, and
// a cancel ends them soon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "harness/load/clock.h"
#include "harness/load/generator.h"
#include "harness/load/scripted_server.h"

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

ArmSpec arm_of(const ScriptedServer& server, int connections) {
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = connections;
  return spec;
}

// A server that counts what it has received and answered.
struct Counted {
  std::atomic<int> received{0};
  std::atomic<int> answered{0};
  ScriptedServer server{[this](Peer& peer) {
    while (peer.request()) {
      ++received;
      // Counted before it is sent: the client may be at its edge before this thread goes on.
      ++answered;
      peer.write(reply("x"));
    }
  }};
};

void two_arms_keep_quiet_edges(int threads, bool keep_alive) {
  std::array<Counted, 2> servers;
  std::string error;
  const auto generator = Generator::start({}, threads, error);
  ASSERT_TRUE(generator) << error;
  for (Counted& counted : servers) {
    ArmSpec spec = arm_of(counted.server, 5);
    spec.keep_alive = keep_alive;
    const std::size_t arm = generator->add_arm(spec);
    ASSERT_EQ(generator->open(arm).error, "");
  }
  std::vector<SliceSpec> schedule;
  for (std::size_t i = 0; i < 20; ++i) schedule.push_back({(i * 7 / 3) % 2, 3 * kMs});
  std::array<std::int64_t, 2> started{};
  std::size_t edges = 0;
  const RunResult run = generator->run(schedule, [&](const Edge& edge) {
    EXPECT_EQ(edge.slice, edges / 2);
    EXPECT_EQ(edge.arm, schedule[edge.slice].arm);
    EXPECT_EQ(edge.result != nullptr, edges % 2 == 1);
    ++edges;
    if (edge.result != nullptr) started[edge.arm] += edge.result->counts.started;
    for (std::size_t arm = 0; arm < 2; ++arm) {
      EXPECT_EQ(servers[arm].received.load(), started[arm]) << "in flight at an edge";
      EXPECT_EQ(servers[arm].answered.load(), started[arm]) << "in flight at an edge";
    }
    return true;
  });
  EXPECT_EQ(run.error, "");
  EXPECT_FALSE(run.cancelled);
  ASSERT_EQ(run.slices.size(), schedule.size());
  EXPECT_EQ(edges, 2 * schedule.size());
  std::int64_t last_end_ns = 0;
  for (const SliceResult& slice : run.slices) {
    EXPECT_GE(slice.counts.started, 5);
    EXPECT_EQ(slice.counts.ok(), slice.counts.started);
    EXPECT_GE(slice.start_ns, last_end_ns) << "slices overlap";
    EXPECT_GE(slice.duration_ns, 3 * kMs);
    EXPECT_GT(slice.generator_cpu_ns, 0);
    EXPECT_EQ(slice.reopened, 0);
    // Little's law: no more than the connections were in flight, and always at least one.
    EXPECT_LE(slice.response_ns, 5 * slice.duration_ns);
    if (threads == 1) {
      EXPECT_GE(slice.response_ns + slice.late_ns, slice.duration_ns - 100'000);
    }
    EXPECT_GE(slice.late_ns, 0);
    last_end_ns = slice.start_ns + slice.duration_ns;
  }
  EXPECT_EQ(generator->latency(0).count(), started[0]);
  EXPECT_EQ(generator->latency(0).count(), 0) << "taken twice";
  EXPECT_EQ(generator->latency(1).count(), started[1]);
  if (keep_alive) {
    EXPECT_EQ(servers[0].server.accepted(), 5);
  }
  generator->close(0);
}

TEST(Slices, QuietEdgesWithOneThread) { two_arms_keep_quiet_edges(1, true); }
TEST(Slices, QuietEdgesWithThreeThreads) { two_arms_keep_quiet_edges(3, true); }
TEST(Slices, QuietEdgesWithAConnectionForEachRequest) { two_arms_keep_quiet_edges(1, false); }

TEST(Slices, TheDrainIsNeverCut) {
  ScriptedServer slow([](Peer& peer) {
    while (peer.request() && peer.pause(80)) peer.write(reply("x"));
  });
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  const std::size_t arm = generator->add_arm(arm_of(slow, 3));
  ASSERT_EQ(generator->open(arm).error, "");
  const RunResult run = generator->run({{arm, kMs}, {arm, kMs}}, nullptr);
  for (const SliceResult& slice : run.slices) {
    EXPECT_EQ(slice.counts.ok(), 3);
    EXPECT_EQ(slice.counts.started, 3);
    EXPECT_GE(slice.duration_ns, 79 * kMs);
  }
}

TEST(Slices, AResetIsCountedAndTheConnectionComesBack) {
  ScriptedServer server([](Peer& peer) {
    for (int served = 0; peer.request(); ++served) {
      if (peer.number() == 0 && served == 3) return peer.reset();
      peer.write(reply("x"));
    }
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  const std::size_t arm = generator->add_arm(arm_of(server, 2));
  ASSERT_EQ(generator->open(arm).error, "");
  const RunResult run = generator->run({{arm, 20 * kMs}, {arm, 5 * kMs}}, nullptr);
  ASSERT_EQ(run.slices.size(), 2U);
  EXPECT_EQ(run.slices[0].counts[Outcome::kReset], 1);
  EXPECT_EQ(run.slices[0].counts.classified(), run.slices[0].counts.started);
  EXPECT_EQ(run.slices[1].reopened, 1);
  EXPECT_EQ(run.slices[1].counts.ok(), run.slices[1].counts.started);
  EXPECT_EQ(server.accepted(), 3);
  EXPECT_THAT(generator->first_failure(arm), HasSubstr("connection 0"));
  EXPECT_EQ(generator->first_failure(arm), "");
}

TEST(Slices, AServerThatIsGoneFailsEverySlice) {
  auto server = std::make_unique<ScriptedServer>(always(reply("x")));
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  const std::size_t arm = generator->add_arm(arm_of(*server, 3));
  ASSERT_EQ(generator->open(arm).error, "");
  ASSERT_EQ(generator->run({{arm, kMs}}, nullptr).slices.at(0).counts.failed(), 0);
  server.reset();
  const RunResult run = generator->run({{arm, kMs}, {arm, kMs}}, nullptr);
  for (const SliceResult& slice : run.slices) {
    EXPECT_EQ(slice.counts[Outcome::kConnect], 3);
    EXPECT_EQ(slice.counts.started, 3);
    EXPECT_EQ(slice.duration_ns, 0);
  }
  EXPECT_THAT(generator->first_failure(arm), HasSubstr("refused"));
  const Opened opened = generator->open(arm);
  EXPECT_EQ(opened.achieved, 0);
  EXPECT_THAT(opened.error, HasSubstr("only 0 of 3"));
}

// A slice of no length is one request on each connection.
TEST(Slices, AnIdleConnectionThatTheServerEndsIsReopenedBeforeTheSlice) {
  std::atomic<int> ended{0};
  ScriptedServer server([&](Peer& peer) {
    for (int served = 0; served < 2 && peer.request(); ++served) peer.write(reply("x"));
    peer.close_write();  // with no Connection: close before it
    ++ended;
    ended.notify_all();
    peer.wait_for_end();
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  const std::size_t arm = generator->add_arm(arm_of(server, 1));
  ASSERT_EQ(generator->open(arm).error, "");
  const auto wait_for_the_end = [&](const Edge& edge) {
    if (edge.slice == 1 && edge.result != nullptr) ended.wait(0);
    return true;
  };
  const RunResult run = generator->run({{arm, 0}, {arm, 0}, {arm, 0}}, wait_for_the_end);
  ASSERT_EQ(run.slices.size(), 3U);
  for (const SliceResult& slice : run.slices) {
    EXPECT_EQ(slice.counts.started, 1);
    EXPECT_EQ(slice.counts.ok(), 1);
  }
  EXPECT_LE(run.slices[2].reopened, 1);  // 0 when the end came with the second reply
  EXPECT_EQ(server.accepted(), 2);
}

TEST(Slices, UnaskedBytesAtAnEdgeAreAProtocolError) {
  std::atomic<int> served{0};
  ScriptedServer server([&](Peer& peer) {
    while (peer.request()) {
      peer.write(reply("x"));
      ++served;
      if (!peer.pause(15)) return;  // longer than the slice: the second comes after its edge
      peer.write(reply("x"));
    }
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  const std::size_t arm = generator->add_arm(arm_of(server, 1));
  ASSERT_EQ(generator->open(arm).error, "");
  const auto wait_between = [&](const Edge& edge) {
    if (edge.result != nullptr) {
      const std::int64_t until_ns = monotonic_ns() + 60 * kMs;
      while (monotonic_ns() < until_ns) {
      }
    }
    return true;
  };
  const RunResult run = generator->run({{arm, 10'000}, {arm, 10'000}}, wait_between);
  ASSERT_EQ(run.slices.size(), 2U);
  EXPECT_GE(run.slices[1].counts[Outcome::kProtocol], 1);
  for (const SliceResult& slice : run.slices) {
    EXPECT_EQ(slice.counts.classified(), slice.counts.started);
  }
}

TEST(Slices, AHungServerTimesOutOncePerConnection) {
  ScriptedServer server([](Peer& peer) { peer.wait_for_end(); });
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  ArmSpec spec = arm_of(server, 4);
  spec.timeout_ns = 100 * kMs;
  const std::size_t arm = generator->add_arm(spec);
  ASSERT_EQ(generator->open(arm).error, "");
  const RunResult run = generator->run({{arm, kMs}, {arm, kMs}}, nullptr);
  for (const SliceResult& slice : run.slices) {
    EXPECT_EQ(slice.counts[Outcome::kTimeout], 4);
    EXPECT_EQ(slice.counts.started, 4);
    EXPECT_GE(slice.duration_ns, 100 * kMs);
    EXPECT_LT(slice.duration_ns, 1000 * kMs);
  }
}

TEST(Slices, TheCallbackEndsTheRun) {
  ScriptedServer server(always(reply("x")));
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  const std::size_t arm = generator->add_arm(arm_of(server, 2));
  ASSERT_EQ(generator->open(arm).error, "");
  const std::vector<SliceSpec> schedule(10, {arm, kMs});
  RunResult run = generator->run(
      schedule, [](const Edge& edge) { return !(edge.slice == 3 && edge.result != nullptr); });
  EXPECT_EQ(run.slices.size(), 4U);
  run = generator->run(schedule, [](const Edge& edge) { return edge.slice != 2; });
  EXPECT_EQ(run.slices.size(), 2U);
  EXPECT_FALSE(run.cancelled);
}

TEST(Slices, CancelEndsAHungSliceSoon) {
  ScriptedServer server([](Peer& peer) { peer.wait_for_end(); });
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  ArmSpec spec = arm_of(server, 4);
  spec.timeout_ns = 60'000 * kMs;
  const std::size_t arm = generator->add_arm(spec);
  ASSERT_EQ(generator->open(arm).error, "");
  const std::int64_t before_ns = monotonic_ns();
  std::atomic<bool> sending{false};
  std::thread canceller([&] {
    sending.wait(false);
    generator->cancel();
  });
  const RunResult run = generator->run({{arm, kMs}, {arm, kMs}}, [&](const Edge&) {
    sending = true;
    sending.notify_all();
    return true;
  });
  canceller.join();
  EXPECT_TRUE(run.cancelled);
  EXPECT_LT(monotonic_ns() - before_ns, 5000 * kMs);
  for (const SliceResult& slice : run.slices) {
    EXPECT_EQ(slice.counts[Outcome::kInFlight], slice.counts.started);
  }
  const LoadReport report = generator->load(arm, {}, nullptr);
  EXPECT_TRUE(report.cancelled) << "a cancel holds";
  EXPECT_EQ(report.counts.started, 0);
}

TEST(Slices, CancelEndsAnUnlimitedLoad) {
  ScriptedServer server(always(reply("x")));
  std::string error;
  const auto generator = Generator::start({}, 2, error);
  const std::size_t arm = generator->add_arm(arm_of(server, 4));
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.progress_every_ns = 20 * kMs;
  const LoadReport report = generator->load(arm, plan, [&](const LoadProgress& progress) {
    if (progress.counts.ok() > 0) generator->cancel();
  });
  EXPECT_TRUE(report.cancelled);
  EXPECT_GT(report.counts.ok(), 0);
  EXPECT_EQ(report.counts.classified(), report.counts.started);
  EXPECT_EQ(report.counts.failed(), 0);
}

TEST(Slices, SeveralRequestsAreSentInTurn) {
  std::atomic<int> began_with_a{0};
  ScriptedServer server([&](Peer& peer) {
    const char* const expected[] = {"GET /a ", "HEAD /b ", "POST /c "};
    auto request = peer.request();
    if (!request) return;
    began_with_a += request->starts_with(expected[0]) ? 1 : 0;
    for (std::size_t i = request->starts_with(expected[0]) ? 0 : 1;; i = (i + 1) % 3) {
      if (!request->starts_with(expected[i])) return peer.reset();
      peer.write(i == 1 ? "HTTP/1.1 404 No\r\nContent-Length: 7\r\n\r\n"
                        : reply(i == 0 ? "a" : "c"));
      request = peer.request();
      if (!request) return;
    }
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec = arm_of(server, 2);
  spec.requests = {{.target = "/a"},
                   {.method = "HEAD", .target = "/b", .expected_status = 404},
                   {.method = "POST", .target = "/c", .body = "body"}};
  const std::size_t arm = generator->add_arm(spec);
  ASSERT_EQ(generator->open(arm).error, "");
  for (const SliceResult& slice :
       generator->run({{arm, 5 * kMs}, {arm, 5 * kMs}}, nullptr).slices) {
    EXPECT_EQ(slice.counts.ok(), slice.counts.started);
    EXPECT_GE(slice.counts.ok(), 2) << "one on each connection, however busy the machine";
  }
  EXPECT_EQ(began_with_a, 1) << "of two connections";
}

}  // namespace
}  // namespace hotlap::load
