// Listening sockets as /proc tells them.
#include "harness/targets/listeners.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace hotlap::targets {
namespace {

constexpr char kFour[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "4711 1 0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 "
    "4712 1 0000000000000000 20 4 30 10 -1\n"
    "nonsense\n";

constexpr char kSix[] =
    "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000     0        0 99 1 0000000000000000 100 0 0 10 0\n";

TEST(ListenersTest, ParsesOnlyListeningSockets) {
  const auto four = parse_listeners(kFour, false);
  ASSERT_EQ(four.size(), 1u);
  EXPECT_EQ(four[0].endpoint.to_string(), "127.0.0.1:8080");
  EXPECT_EQ(four[0].inode, 4711u);
  const auto six = parse_listeners(kSix, true);
  ASSERT_EQ(six.size(), 1u);
  EXPECT_EQ(six[0].endpoint.to_string(), "[::1]:80");
}

TEST(ListenersTest, ReachableByLoopback) {
  EXPECT_EQ(reachable_at({{"0.0.0.0", 1}, 0}).host, "127.0.0.1");
  EXPECT_EQ(reachable_at({{"::", 1}, 0}).host, "::1");
  EXPECT_EQ(reachable_at({{"::ffff:127.0.0.1", 1}, 0}).host, "127.0.0.1");
}

TEST(ListenersTest, APickedPortIsFreeAndHeldByNobody) {
  const auto port = pick_free_port();
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_TRUE(held_by({getpid()}, read_listeners()).empty());
}

}  // namespace
}  // namespace hotlap::targets
