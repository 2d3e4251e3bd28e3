// How the server waits, under every way to wait: nothing that arrived is forgotten, however it is
// cut and whatever comes behind it, and waiting costs nothing. A second or two a pipeline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
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

constexpr double kIdleShare = kSanitized ? 0.05 : 0.01;
constexpr int kIdleWindows = 3;

std::string reply_head(Peer& peer) {
  std::string head;
  while (!head.ends_with("\r\n\r\n") && head.size() < 400) {
    const std::string next = peer.read(1);
    if (next.empty()) break;
    head += next;
  }
  return head;
}

class Waiting : public testing::TestWithParam<std::string> {
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
  // The share of one core that the server spends while nothing happens: the least of a few windows,
  // for it may still be at work as the first begins. What spins does so in all of them.
  double idle_share(Peer& silent, int window_ms = 400) {
    double least = 1;
    for (int i = 0; i < kIdleWindows && least >= kIdleShare; ++i) {
      const double before = server_->cpu_seconds();
      EXPECT_TRUE(silent.stays_silent(window_ms));
      least = std::min(least, (server_->cpu_seconds() - before) * 1000 / window_ms);
    }
    return least;
  }
  // A small window made the server wait; reading everything through it would take for ever.
  static void widen(Peer& peer) {
    const int bytes = 1 << 20;
    EXPECT_EQ(setsockopt(peer.channel().fd(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
  }
  std::optional<ServerProcess> server_;
};

// More than any read takes: what one leaves behind must be found by the next.
TEST_P(Waiting, WhatAReadLeavesBehindIsServed) {
  start();
  Peer peer = connect();
  const std::string one = peer.ask(kPing);
  ASSERT_THAT(one, EndsWith("pong"));
  constexpr size_t kRequests = 2000;
  std::string requests;
  for (size_t i = 0; i < kRequests; ++i) requests += kPing;
  ASSERT_TRUE(peer.send(requests));
  EXPECT_EQ(peer.read(one.size() * kRequests).size(), one.size() * kRequests);
  EXPECT_THAT(peer.ask(kPing), EndsWith("pong"));
}

// Requests of just the sizes at which a read is filled to its last byte.
TEST_P(Waiting, AReadThatIsJustFilledIsFollowedByAnother) {
  start();
  Peer peer = connect();
  for (size_t bytes = 4090; bytes <= 4102; ++bytes) {
    std::string request = "GET /ping HTTP/1.1\r\nHost: a\r\nX: ";
    request += std::string(bytes - request.size() - 4, 'x') + "\r\n\r\n";
    ASSERT_THAT(peer.ask(request), EndsWith("pong")) << bytes;
  }
  for (size_t body : {4000, 65536, 262143, 262144, 262145, 1048576}) {
    const std::string reply =
        peer.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body) +
                 "\r\n\r\n" + std::string(body, 'b'));
    ASSERT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n")) << body;
    ASSERT_TRUE(reply.ends_with(std::string(body, 'b'))) << body;
  }
}

TEST_P(Waiting, TheEndBehindARequestIsNoticed) {
  start();
  for (int i = 0; i < 50; ++i) {
    Peer peer = connect();
    peer.send(kPing);
    peer.end_sending();
    EXPECT_THAT(peer.read_to_end(), EndsWith("pong"));
    ASSERT_TRUE(peer.ended() && !peer.was_reset());
  }
}

// A read stops short before urgent data, though more lies behind it.
TEST_P(Waiting, UrgentDataHidesNothing) {
  start();
  for (int i = 0; i < 50; ++i) {
    Peer peer = connect();
    peer.send("GET /pi");
    peer.send_urgent('!');
    peer.send("ng HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_THAT(peer.read(1), "H");
  }
}

TEST_P(Waiting, IdleConnectionsCostNoCpu) {
  start();
  std::vector<Peer> peers;
  for (int i = 0; i < 100; ++i) {
    peers.push_back(connect());
    ASSERT_THAT(peers.back().ask(kPing), EndsWith("pong"));
  }
  EXPECT_LT(idle_share(peers.front(), 1000), kIdleShare);
}

// First the server waits to write, then, everything read, for the next request: neither spins.
TEST_P(Waiting, AReArmedConnectionDoesNotSpin) {
  start();
  constexpr size_t kBytes = 1 << 20;
  Peer quiet = connect();
  std::vector<Peer> slow;
  for (int i = 0; i < 2; ++i) {
    slow.push_back(connect(4096));
    for (int copies = 0; copies < 8; ++copies) {
      slow.back().send("GET /echo?size=1048576 HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    ASSERT_THAT(slow.back().read(17), "HTTP/1.1 200 OK\r\n");
  }
  EXPECT_THAT(quiet.ask(kPing), EndsWith("pong"));
  EXPECT_LT(idle_share(quiet), kIdleShare) << "while replies wait to be read";
  for (Peer& peer : slow) {
    widen(peer);
    for (int copies = 0; copies < 8; ++copies) {
      ASSERT_THAT(reply_head(peer), HasSubstr("Content-Length: 1048576\r\n"));
      ASSERT_EQ(peer.read(kBytes).size(), kBytes);
    }
    ASSERT_THAT(peer.ask(kPing), EndsWith("pong"));
  }
  EXPECT_LT(idle_share(quiet), kIdleShare) << "after all were read";
}

TEST_P(Waiting, ManyFilesToSlowReadersAreNotMixedUp) {
  std::string directory = testing::TempDir() + "hotlap-files-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  std::vector<std::string> files;
  for (char name : {'a', 'b', 'c'}) {
    std::string text;
    for (int line = 0; text.size() < 700'000; ++line) text += name + std::to_string(line) + "\n";
    std::ofstream(directory + "/" + name) << text;
    files.push_back(text);
  }
  start({"--files", directory});
  std::vector<Peer> peers;
  for (size_t i = 0; i < 12; ++i) {
    peers.push_back(connect(4096));
    const std::string name(1, static_cast<char>('a' + i % 3));
    peers.back().send("GET /file/" + name + " HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  // Others linger meanwhile, and send what is to be thrown away.
  for (int i = 0; i < 4; ++i) {
    Peer ends = connect();
    ends.send("BAD\r\n\r\n" + std::string(50'000, '!'));
    EXPECT_THAT(ends.read_to_end(), StartsWith("HTTP/1.1 400"));
  }
  std::vector<std::string> got(peers.size());
  for (Peer& peer : peers) {
    EXPECT_THAT(reply_head(peer), StartsWith("HTTP/1.1 200 OK\r\n"));
    widen(peer);
  }
  for (size_t at = 0; at < files[0].size(); at += 50'000) {
    for (size_t i = 0; i < peers.size(); ++i) {
      got[i] += peers[i].read(std::min<size_t>(50'000, files[i % 3].size() - got[i].size()));
    }
  }
  for (size_t i = 0; i < peers.size(); ++i) {
    EXPECT_TRUE(got[i] == files[i % 3]) << i;
    EXPECT_THAT(peers[i].ask(kPing), EndsWith("pong"));
  }
  std::filesystem::remove_all(directory);
}

TEST_P(Waiting, TermEndsWithManyConnectionsOpen) {
  start();
  std::vector<Peer> peers;
  for (int i = 0; i < 200; ++i) {
    peers.push_back(connect());
    ASSERT_THAT(peers.back().ask(kPing), EndsWith("pong"));
  }
  server_->send_signal(SIGTERM);
  for (Peer& peer : peers) {
    EXPECT_EQ(peer.read_to_end(), "");
    ASSERT_TRUE(peer.ended() && !peer.was_reset());
  }
  peers.clear();
  EXPECT_EQ(server_->wait_for_exit(5000), 0);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Waiting, testing::ValuesIn(waiting_pipelines()),
                         [](const auto& info) { return pipeline_test_name(info.param); });

class Pselect : public Waiting {};

// Its declared fault: beyond 1,000 descriptors it refuses, says so, and serves the others.
TEST_P(Pselect, RefusesBeyondAThousandDescriptorsAndCounts) {
  rlimit own{};
  getrlimit(RLIMIT_NOFILE, &own);
  own.rlim_cur = own.rlim_max;
  if (own.rlim_max < 1400 || setrlimit(RLIMIT_NOFILE, &own) != 0) {
    GTEST_SKIP() << "this test itself needs 1,400 descriptors";
  }
  start();
  std::vector<Peer> peers;
  size_t served = 0;
  size_t refused = 0;
  for (int i = 0; i < 1200; ++i) {
    peers.push_back(connect());
    const std::string reply = peers.back().ask(kPing);
    served += reply.ends_with("pong");
    refused += reply.starts_with("HTTP/1.1 503 ");
  }
  EXPECT_EQ(served + refused, peers.size());
  EXPECT_LT(served, 1000u) << "the declared fault is gone: drop the exemption";
  EXPECT_GT(served, 950u);
  for (size_t i = 0; i < served; i += 50) EXPECT_THAT(peers[i].ask(kPing), EndsWith("pong"));
  EXPECT_LT(idle_share(peers.front()), kIdleShare);
  // The ends of the others are taken in one by one: who comes meanwhile may still be refused.
  size_t asked = peers.size();
  peers.clear();
  bool room = false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!room && std::chrono::steady_clock::now() < until) {
    ++asked;
    const std::string reply = connect().ask(kPing);
    room = reply.ends_with("pong");
    refused += reply.starts_with("HTTP/1.1 503 ");
  }
  EXPECT_TRUE(room) << "no room after the others have gone";
  server_->send_signal(SIGTERM);
  EXPECT_EQ(server_->wait_for_exit(5000), 0);
  EXPECT_THAT(server_->stderr_text(),
              HasSubstr("refused " + std::to_string(refused) + " of " + std::to_string(asked)));
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Pselect,
                         testing::Values("readiness=pselect",
                                         "readiness=pselect,dispatch=thread_pool:2"),
                         [](const auto& info) {
                           return info.index == 0 ? "inline_pollers" : "pool";
                         });

}  // namespace
}  // namespace hotlap::conformance
