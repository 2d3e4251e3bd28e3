// Every address variant says who the peer is now, also where state and descriptor are used again.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "server/stage_state.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr int kReusedFd = 200;

std::string name_of(int fd, bool peer) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if ((peer ? getpeername : getsockname)(fd, address, &length) != 0) return "";
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(v4->sin_port));
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
  return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6->sin6_port));
}

// A connection over loopback whose server side is always the descriptor kReusedFd.
class Connection {
 public:
  explicit Connection(int family) {
    sockaddr_storage storage{};
    storage.ss_family = static_cast<sa_family_t>(family);
    auto* address = reinterpret_cast<sockaddr*>(&storage);
    socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (family == AF_INET) {
      reinterpret_cast<sockaddr_in*>(&storage)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else {
      reinterpret_cast<sockaddr_in6*>(&storage)->sin6_addr = in6addr_loopback;
    }
    const int listener = socket(family, SOCK_STREAM, 0);
    client_ = socket(family, SOCK_STREAM, 0);
    ok_ = bind(listener, address, length) == 0 && listen(listener, 1) == 0 &&
          getsockname(listener, address, &length) == 0 && connect(client_, address, length) == 0;
    if (ok_) {
      const int accepted = accept(listener, nullptr, nullptr);
      dup2(accepted, kReusedFd);
      close(accepted);
    }
    close(listener);
  }
  ~Connection() {
    close(client_);
    if (ok_) close(kReusedFd);
  }
  Connection(const Connection&) = delete;
  bool ok() const { return ok_; }
  std::string peer() const { return name_of(client_, false); }
  std::string local() const { return name_of(client_, true); }

 private:
  int client_;
  bool ok_;
};

class AddressContract : public testing::TestWithParam<const AddressStage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(GetParam()->info)) GTEST_SKIP() << why;
  }
  static void on_request(const StageState& state, int fd) {
    if (GetParam()->on_request != nullptr) GetParam()->on_request(state.get(), fd);
  }
};

TEST_P(AddressContract, NeverShowsAnOldPeer) {
  const AddressStage& stage = *GetParam();
  StageState state(stage.info);
  for (int i = 0; i < 20; ++i) {
    Connection connection(AF_INET);
    ASSERT_TRUE(connection.ok());
    stage.init(state.get());
    for (int request = 0; request < 3; ++request) {
      on_request(state, kReusedFd);
      const AddressPair pair = stage.get(state.get(), kReusedFd);
      EXPECT_EQ(pair.peer, connection.peer());
      EXPECT_EQ(pair.local, connection.local());
    }
  }
}

TEST_P(AddressContract, FirstAskedInALaterRequest) {
  const AddressStage& stage = *GetParam();
  StageState state(stage.info);
  Connection connection(AF_INET);
  ASSERT_TRUE(connection.ok());
  stage.init(state.get());
  for (int request = 0; request < 3; ++request) on_request(state, kReusedFd);
  EXPECT_EQ(stage.get(state.get(), kReusedFd).peer, connection.peer());
  EXPECT_EQ(stage.get(state.get(), kReusedFd).local, connection.local());
}

TEST_P(AddressContract, BracketsIPv6) {
  const AddressStage& stage = *GetParam();
  StageState state(stage.info);
  Connection connection(AF_INET6);
  if (!connection.ok()) GTEST_SKIP() << "no IPv6 loopback here";
  stage.init(state.get());
  on_request(state, kReusedFd);
  EXPECT_EQ(stage.get(state.get(), kReusedFd).peer, connection.peer());
  EXPECT_EQ(stage.get(state.get(), kReusedFd).local, connection.local());
}

TEST_P(AddressContract, EmptyWhereTheKernelCannotSay) {
  const AddressStage& stage = *GetParam();
  StageState state(stage.info);
  stage.init(state.get());
  on_request(state, -1);
  EXPECT_EQ(stage.get(state.get(), -1).peer, "");
  EXPECT_EQ(stage.get(state.get(), -1).local, "");
}

INSTANTIATE_TEST_SUITE_P(Registry, AddressContract,
                         testing::ValuesIn(variants_of<AddressStage>().begin(),
                                           variants_of<AddressStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
