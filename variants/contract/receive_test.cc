// Every receive variant over a TCP connection and the plain transport: all bytes arrive, in order,
// within a bound an event; and what the socket options do.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "server/stage_state.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

class TcpPair {
 public:
  TcpPair() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener, any, size), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    EXPECT_EQ(getsockname(listener, any, &size), 0);
    client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(client, any, size), 0);
    server = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
    EXPECT_GE(server, 0);
    close(listener);
  }
  ~TcpPair() {
    close(client);
    close(server);
  }
  TcpPair(const TcpPair&) = delete;
  TcpPair& operator=(const TcpPair&) = delete;

  void wait_readable() const {
    pollfd readable{server, POLLIN, 0};
    ASSERT_EQ(poll(&readable, 1, 5000), 1);
  }
  int client = -1;
  int server = -1;
};

class ReceiveContract : public testing::TestWithParam<const ReceiveStage*> {
 protected:
  ReceiveContract() : stage_(*GetParam()), state_(stage_.info) {}

  // What one event brings, as the driver takes it: the last status, and bytes appended to `out`.
  IoStatus event(const TcpPair& pair, std::string& out, size_t space) {
    ReceiveStep step{};
    bool first = true;
    std::vector<char> room(space);
    do {
      const iovec segments[] = {{room.data(), space / 2}, {room.data() + space / 2, space / 2}};
      step = stage_.step(state_.get(), *variants_of<TransportStage>().front(), nullptr, pair.server,
                         segments, 2, first);
      if (step.io.status == IoStatus::kDone) {
        EXPECT_GT(step.io.bytes, 0u);
        out.append(room.data(), step.io.bytes);
      } else {
        EXPECT_EQ(step.io.bytes, 0u);
        EXPECT_FALSE(step.again) << "nothing can follow";
      }
      first = false;
    } while (step.again);
    return step.io.status;
  }

  const ReceiveStage& stage_;
  StageState state_;
};

TEST_P(ReceiveContract, AllBytesThenTheEnd) {
  TcpPair pair;
  std::string sent;
  for (int i = 0; i < 2000; ++i) sent += std::to_string(i) + ",";
  ASSERT_EQ(send(pair.client, sent.data(), sent.size(), 0), static_cast<ssize_t>(sent.size()));
  shutdown(pair.client, SHUT_WR);
  std::string got;
  IoStatus status = IoStatus::kDone;
  for (int events = 0; events < 100'000 && status != IoStatus::kEnd; ++events) {
    ASSERT_NO_FATAL_FAILURE(pair.wait_readable());
    status = event(pair, got, 128);
    ASSERT_TRUE(status != IoStatus::kFailed && status != IoStatus::kNeedWrite);
  }
  EXPECT_EQ(status, IoStatus::kEnd);
  EXPECT_EQ(got, sent);
}

TEST_P(ReceiveContract, NothingThereIsNeedRead) {
  TcpPair pair;
  std::string got;
  EXPECT_EQ(event(pair, got, 128), IoStatus::kNeedRead);
  EXPECT_EQ(got, "");
}

TEST_P(ReceiveContract, AResetFails) {
  TcpPair pair;
  const linger at_once{1, 0};
  setsockopt(pair.client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(pair.client);
  pair.client = -1;
  ASSERT_NO_FATAL_FAILURE(pair.wait_readable());
  std::string got;
  EXPECT_EQ(event(pair, got, 128), IoStatus::kFailed);
}

// A sender that never stops must not keep the server from looking at what it sent.
TEST_P(ReceiveContract, AnEventEndsHoweverMuchThereIs) {
  TcpPair pair;
  const int bytes = 4 << 20;
  setsockopt(pair.client, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
  fcntl(pair.client, F_SETFL, O_NONBLOCK);
  const std::string chunk(65536, 'x');
  std::string got;
  // Refilled before every event, so that each could go on for as long as it likes.
  for (int events = 0; events < 20; ++events) {
    while (send(pair.client, chunk.data(), chunk.size(), 0) > 0) {
    }
    const size_t before = got.size();
    event(pair, got, 8192);
    EXPECT_LE(got.size() - before, 512u * 1024);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ReceiveContract,
                         testing::ValuesIn(variants_of<ReceiveStage>().begin(),
                                           variants_of<ReceiveStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

class SocketOptionsContract : public testing::TestWithParam<const SocketOptionsStage*> {};

TEST_P(SocketOptionsContract, NagleIsOnForTheVariantOfThatNameOnly) {
  TcpPair pair;
  GetParam()->apply_accepted(pair.server);
  int no_delay = -1;
  socklen_t size = sizeof(no_delay);
  ASSERT_EQ(getsockopt(pair.server, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_EQ(no_delay != 0, std::string_view(GetParam()->info.name) != "nagle");
}

INSTANTIATE_TEST_SUITE_P(Registry, SocketOptionsContract,
                         testing::ValuesIn(variants_of<SocketOptionsStage>().begin(),
                                           variants_of<SocketOptionsStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
