#include "harness/audit/descriptor_tables.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "harness/capture/unique_fd.h"

namespace hotlap::audit {
namespace {

constexpr uint16_t kPort = 8080;
constexpr pid_t kProcess = 7;
constexpr char kConnection[] = "TCP:[127.0.0.1:8080->127.0.0.1:1]";
constexpr char kListener[] = "TCP:[127.0.0.1:8080]";

class DescriptorTablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    tables_.begin(kProcess, {{0, {"/dev/null", false}},
                             {1, {"pipe:[7]", false}},
                             {2, {"pipe:[7]", false}},
                             {3, {"socket:[9]", true}}});
  }
  // True when its result is a descriptor.
  bool call(const std::string& name, Registers arguments, int64_t result,
            pid_t process = kProcess) {
    return tables_.learn(process, {.name = name, .arguments = arguments, .result = result});
  }
  std::string of(int64_t fd, pid_t process = kProcess) const {
    return tables_.annotation(process, fd);
  }
  void make_listener(int64_t fd) {
    EXPECT_TRUE(call("socket", {AF_INET, SOCK_STREAM | SOCK_CLOEXEC}, fd));
    EXPECT_FALSE(call("listen", {static_cast<uint64_t>(fd), 128}, 0));
  }

  DescriptorTables tables_{kPort};
};

TEST_F(DescriptorTablesTest, ASocketBecomesAListenerAndItsConnectionsAreTheClients) {
  EXPECT_TRUE(call("socket", {AF_INET, SOCK_STREAM}, 4));
  EXPECT_EQ(of(4), "TCP:[0]");
  EXPECT_FALSE(call("bind", {4}, 0));
  EXPECT_EQ(of(4), "TCP:[0]");
  EXPECT_FALSE(call("listen", {4, 128}, 0));
  EXPECT_EQ(of(4), kListener);
  EXPECT_TRUE(call("accept4", {4, 0, 0, SOCK_NONBLOCK}, 5));
  EXPECT_EQ(of(5), kConnection);
  EXPECT_FALSE(call("accept4", {4}, -EAGAIN));
  EXPECT_TRUE(call("socket", {AF_INET6, SOCK_STREAM}, 6));
  EXPECT_EQ(of(6), "TCPv6:[0]");
  EXPECT_FALSE(call("connect", {6}, -EINPROGRESS));
  EXPECT_EQ(of(6), "TCP:[127.0.0.1:0->127.0.0.1:1]");
}

TEST_F(DescriptorTablesTest, OtherFamiliesKeepTheirKind) {
  call("socket", {AF_UNIX, SOCK_STREAM}, 4);
  call("listen", {4}, 0);
  EXPECT_TRUE(call("accept", {4}, 5));
  EXPECT_EQ(of(5), "UNIX:[0]");
  call("socket", {AF_INET, SOCK_DGRAM | SOCK_CLOEXEC}, 6);
  EXPECT_EQ(of(6), "UDP:[0]");
  call("socket", {AF_NETLINK, SOCK_RAW}, 7);
  EXPECT_EQ(of(7), "NETLINK:[0]");
}

TEST_F(DescriptorTablesTest, ResultsAreWhatTheirCallMakes) {
  EXPECT_TRUE(call("epoll_create1", {EPOLL_CLOEXEC}, 4));
  EXPECT_EQ(of(4), "anon_inode:[eventpoll]");
  EXPECT_TRUE(call("eventfd2", {0, EFD_NONBLOCK}, 5));
  EXPECT_EQ(of(5), "anon_inode:[eventfd]");
  EXPECT_TRUE(call("openat", {0, 1, O_RDONLY}, 6));
  EXPECT_EQ(of(6), "file");
  EXPECT_FALSE(call("read", {6, 1, 10}, 10));
  EXPECT_EQ(of(10), "descriptor");
}

TEST_F(DescriptorTablesTest, PipesTakeTheLowestThatAreFree) {
  call("epoll_create1", {0}, 5);
  EXPECT_FALSE(call("pipe2", {0, O_CLOEXEC}, 0));
  EXPECT_EQ(of(4), "pipe:[0]");
  EXPECT_EQ(of(6), "pipe:[0]");
  EXPECT_EQ(of(5), "anon_inode:[eventpoll]");
}

TEST_F(DescriptorTablesTest, ClosedOnesAreForgottenAlsoWhereTheCloseFailed) {
  call("eventfd2", {}, 4);
  EXPECT_FALSE(call("close", {4}, -EINTR));
  EXPECT_EQ(of(4), "descriptor");
  for (const int64_t fd : {4, 5, 6}) call("eventfd2", {}, fd);
  call("close_range", {5, UINT32_MAX, 0}, 0);
  EXPECT_EQ(of(4), "anon_inode:[eventfd]");
  EXPECT_EQ(of(5), "descriptor");
}

TEST_F(DescriptorTablesTest, DuplicatesAreWhatTheyDuplicate) {
  make_listener(4);
  EXPECT_TRUE(call("dup", {4}, 5));
  EXPECT_TRUE(call("dup2", {4, 9}, 9));
  EXPECT_TRUE(call("fcntl", {4, F_DUPFD_CLOEXEC, 0}, 6));
  for (const int64_t fd : {5, 6, 9}) EXPECT_EQ(of(fd), kListener) << fd;
  EXPECT_FALSE(call("fcntl", {4, F_GETFL}, 2));
}

TEST_F(DescriptorTablesTest, AForkHasItsOwnTableAndAThreadsSharesOne) {
  make_listener(4);
  tables_.fork(kProcess, 8, /*shares=*/false);
  tables_.fork(kProcess, 9, /*shares=*/true);
  call("close", {4}, 0);
  EXPECT_EQ(of(4, 8), kListener);
  EXPECT_EQ(of(4, 9), "descriptor");
}

TEST_F(DescriptorTablesTest, AnExecClosesThoseThatAreMarked) {
  make_listener(4);
  call("eventfd2", {0, 0}, 5);
  call("eventfd2", {0, 0}, 6);
  call("fcntl", {6, F_SETFD, FD_CLOEXEC}, 0);
  EXPECT_EQ(of(3), "socket:[9]");
  call("execve", {}, 0);
  EXPECT_EQ(of(1), "pipe:[7]");
  EXPECT_EQ(of(5), "anon_inode:[eventfd]");
  for (const int64_t fd : {3, 4, 6}) EXPECT_EQ(of(fd), "descriptor") << fd;
}

TEST_F(DescriptorTablesTest, AProcessThatIsNotKnownHasNone) {
  EXPECT_EQ(of(0, 99), "descriptor");
  EXPECT_TRUE(call("eventfd2", {}, 3, 99));
  EXPECT_EQ(of(3, 99), "anon_inode:[eventfd]");
}

TEST(DescriptorsOfTest, OurOwnAreFound) {
  const capture::UniqueFd kept(eventfd(0, 0));
  const capture::UniqueFd closes(epoll_create1(EPOLL_CLOEXEC));
  const Descriptors found = descriptors_of(getpid());
  ASSERT_TRUE(found.contains(kept.get()) && found.contains(closes.get()));
  EXPECT_EQ(found.at(kept.get()).annotation, "anon_inode:[eventfd]");
  EXPECT_FALSE(found.at(kept.get()).closes_on_exec);
  EXPECT_EQ(found.at(closes.get()).annotation, "anon_inode:[eventpoll]");
  EXPECT_TRUE(found.at(closes.get()).closes_on_exec);
  EXPECT_TRUE(descriptors_of(0).empty());
}

}  // namespace
}  // namespace hotlap::audit
