// How connections and the server itself begin and end: slow and vanishing clients, timeouts,
// limits, start and stop. Every pipeline where the clause is one that a variant could break.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <vector>

#include "server/conformance/peer.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/sanitized.h"
#include "server/conformance/server_process.h"

namespace hotlap::conformance {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Lifetime : public testing::TestWithParam<std::string> {
 protected:
  void start(const std::vector<std::string>& flags = {}, unsigned max_files = 0) {
    server_.emplace(server_command(GetParam(), flags), max_files);
    ASSERT_EQ(server_->error(), "");
  }
  void TearDown() override {
    if (!server_) return;
    EXPECT_EQ(server_->sanitizer_report(), "");
  }
  Peer connect(int receive_buffer_bytes = 0) {
    return Peer(server_->endpoint(), receive_buffer_bytes);
  }
  void expect_serving() {
    Peer peer = connect();
    ASSERT_TRUE(peer.connected());
    EXPECT_THAT(peer.ask(kPing), EndsWith("pong"));
  }
  std::optional<ServerProcess> server_;
};

TEST_P(Lifetime, SlowReaderLosesAndRepeatsNothing) {
  start();
  Peer slow = connect(4096);
  constexpr int kRequests = 40;
  std::string requests;
  for (int i = 0; i < kRequests; ++i) {
    requests += "GET /echo?size=" + std::to_string(20000 + i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  ASSERT_TRUE(slow.send(requests));
  expect_serving();  // the others, while this one does not read
  for (int i = 0; i < kRequests; ++i) {
    const size_t size = 20000 + static_cast<size_t>(i);
    std::string head = slow.read(1);
    while (!head.ends_with("\r\n\r\n") && head.size() < 300) {
      std::string next = slow.read(1);
      ASSERT_FALSE(next.empty()) << "reply " << i << ": " << head;
      head += next;
    }
    ASSERT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
    ASSERT_THAT(head, HasSubstr("Content-Length: " + std::to_string(size) + "\r\n"));
    ASSERT_EQ(slow.read(size), std::string(size, 'x')) << "reply " << i;
  }
  EXPECT_THAT(slow.ask(kPing), EndsWith("pong"));
}

TEST_P(Lifetime, ClientsThatVanishHarmNobody) {
  start();
  for (int i = 0; i < 60; ++i) {
    Peer mid_body = connect(), mid_reply = connect(4096), mid_head = connect();
    mid_body.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhalf");
    mid_reply.send("GET /echo?size=1048576 HTTP/1.1\r\nHost: a\r\n\r\n");
    mid_reply.read(100);
    mid_head.send("GET /ping HT");
    if (i % 2 == 0) {
      mid_body.reset();
      mid_reply.reset();
      mid_head.reset();
    }
  }
  expect_serving();
  EXPECT_TRUE(server_->running()) << server_->stderr_text();
}

TEST_P(Lifetime, UnfinishedHeadGets408WhileOthersAreServed) {
  start({"--head-timeout-ms", "400"});
  Peer peer = connect();
  peer.send("GET /ping HTTP/1.1\r\nHo");
  const auto started = Clock::now();
  // A byte now and then must not extend the time for a head.
  while (peer.stays_silent(50) && seconds_since(started) < 5) peer.send("x");
  std::string reply = peer.read_to_end();
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_THAT(reply, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(peer.ended() && !peer.was_reset());
  EXPECT_GE(seconds_since(started), 0.35);
  EXPECT_LT(seconds_since(started), 4.0);
  expect_serving();
}

TEST_P(Lifetime, IdleConnectionIsClosedInSilence) {
  start({"--idle-timeout-ms", "300", "--head-timeout-ms", "60000"});
  Peer used = connect(), fresh = connect();
  EXPECT_THAT(used.ask(kPing), EndsWith("pong"));
  EXPECT_EQ(used.read_to_end(), "");
  EXPECT_TRUE(used.ended() && !used.was_reset());
  EXPECT_EQ(fresh.read_to_end(), "");
  EXPECT_TRUE(fresh.ended());
}

TEST_P(Lifetime, TermFinishesWhatIsInFlight) {
  start({"--drain-timeout-ms", "20000"});
  Peer idle = connect(), busy = connect();
  EXPECT_THAT(idle.ask(kPing), EndsWith("pong"));
  EXPECT_THAT(busy.ask(kPing), EndsWith("pong"));
  // The 100 proves that the request is in flight.
  busy.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n");
  EXPECT_THAT(busy.read(25), StartsWith("HTTP/1.1 100 Continue"));
  server_->send_signal(SIGTERM);
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_TRUE(idle.ended());
  busy.send("hellohello");
  EXPECT_THAT(busy.read_to_end(), EndsWith("hellohello"));
  busy.close();  // else the server lingers for it
  idle.close();
  EXPECT_EQ(server_->wait_for_exit(5000), 0);
}

TEST_P(Lifetime, TermIsBoundedByTheDrainTimeout) {
  start({"--drain-timeout-ms", "300"});
  Peer stuck = connect();
  stuck.send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n");
  EXPECT_THAT(stuck.read(25), StartsWith("HTTP/1.1 100 Continue"));
  server_->send_signal(SIGTERM);
  EXPECT_EQ(server_->wait_for_exit(5000), 0);
}

TEST_P(Lifetime, ConnectionsBeyondTheLimitDoNotHarmTheOthers) {
  start({"--max-connections", "8"});
  std::vector<Peer> within;
  for (int i = 0; i < 8; ++i) {
    within.push_back(connect());
    ASSERT_THAT(within.back().ask(kPing), EndsWith("pong"));
  }
  Peer beyond = connect();
  beyond.send(kPing);
  EXPECT_THAT(beyond.read_to_end(300), testing::Not(HasSubstr("pong")));
  for (Peer& peer : within) EXPECT_THAT(peer.ask(kPing), EndsWith("pong"));
  within.clear();
  // The places are free once the server has seen the ends; each try is a new connection.
  const auto started = Clock::now();
  while (seconds_since(started) < 5) {
    Peer peer = connect();
    if (peer.ask(kPing, 500).ends_with("pong")) return;
  }
  ADD_FAILURE() << "not served again after connections ended";
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Lifetime, testing::ValuesIn(pipelines_to_test()),
                         [](const auto& info) { return pipeline_test_name(info.param); });

// Under sanitizers, which take five times as long, only those with several threads.
std::vector<std::string> further_pipelines() {
  std::vector<std::string> specs = waiting_pipelines();
  if (kSanitized) {
    std::erase_if(specs, [](const std::string& spec) { return spec.find(":2,") == spec.npos; });
  }
  const std::vector<std::string> tested = pipelines_to_test();
  std::erase_if(specs, [&tested](const std::string& spec) {
    return std::find(tested.begin(), tested.end(), spec) != tested.end();
  });
  return specs;
}
INSTANTIATE_TEST_SUITE_P(Waiting, Lifetime, testing::ValuesIn(further_pipelines()),
                         [](const auto& info) { return pipeline_test_name(info.param); });

class Profiles : public Lifetime {};

// One connection more than there are descriptors: no spinning, no end, and room again afterwards.
TEST_P(Profiles, LivesWith1024Descriptors) {
  rlimit own{};
  getrlimit(RLIMIT_NOFILE, &own);
  own.rlim_cur = own.rlim_max;
  if (own.rlim_max < 1400 || setrlimit(RLIMIT_NOFILE, &own) != 0) {
    GTEST_SKIP() << "this test itself needs 1,400 descriptors";
  }
  start({}, 1024);
  // A sanitizer needs descriptors of its own the first time that it looks at a type.
  expect_serving();
  std::vector<Peer> peers;
  for (int i = 0; i < 1200; ++i) {
    peers.push_back(connect());
    ASSERT_TRUE(peers.back().connected());
  }
  EXPECT_THAT(peers.front().ask(kPing), EndsWith("pong"));
  const double before = server_->cpu_seconds();
  EXPECT_TRUE(peers.front().stays_silent(500));
  EXPECT_LT(server_->cpu_seconds() - before, 0.25) << "spins without descriptors";
  EXPECT_THAT(peers.front().ask(kPing), EndsWith("pong"));
  peers.clear();
  const auto started = Clock::now();
  while (seconds_since(started) < 5) {
    Peer peer = connect();
    if (peer.ask(kPing, 500).ends_with("pong")) return;
  }
  ADD_FAILURE() << "not served again after connections ended";
}

TEST_P(Profiles, LongHeadByteByByteIsNotRescanned) {
  start();
  Peer peer = connect();
  std::string head = "GET /ping HTTP/1.1\r\nHost: a\r\nX: ";
  head += std::string(16384 - head.size() - 4, 'y') + "\r\n\r\n";
  const double before = server_->cpu_seconds();
  for (char c : head) peer.send(std::string_view(&c, 1));
  EXPECT_THAT(peer.ask(""), EndsWith("pong"));
  EXPECT_LT(server_->cpu_seconds() - before, 4.0);
}

TEST_P(Profiles, PortInUseIsExit3WithAMessage) {
  start();
  ServerProcess second(server_command(GetParam(), {"--listen", to_string(server_->endpoint())}));
  EXPECT_EQ(second.wait_for_exit(5000), 3);
  EXPECT_THAT(second.stderr_text() + second.error(),
              HasSubstr(std::to_string(server_->endpoint().port)));
  expect_serving();
}

TEST_P(Profiles, InterruptIsExit0) {
  start();
  expect_serving();
  server_->send_signal(SIGTERM);
  EXPECT_EQ(server_->wait_for_exit(5000), 0);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Profiles, testing::Values("baseline", "fast", "original"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Waiting, Profiles, testing::ValuesIn(waiting_pipelines()),
                         [](const auto& info) { return pipeline_test_name(info.param); });

TEST(Start, WrongChoicesAreExit3AndListWhatExists) {
  for (const auto& [spec, listed] : {std::pair{"request_line=nope", "scalar"},
                                     {"nope", "baseline"},
                                     {"nope=scalar", "date"},
                                     {"fast,ballast=chain:x", "chain"},
                                     {"date=per_second:5", "per_second"}}) {
    ServerProcess server(server_command(spec));
    EXPECT_EQ(server.wait_for_exit(5000), 3) << spec;
    EXPECT_THAT(server.error(), HasSubstr(listed)) << spec;
  }
  ServerProcess flag(server_command("fast", {"--no-such-flag"}));
  EXPECT_EQ(flag.wait_for_exit(5000), 3);
  EXPECT_THAT(flag.error(), HasSubstr("no-such-flag"));
}

}  // namespace
}  // namespace hotlap::conformance
