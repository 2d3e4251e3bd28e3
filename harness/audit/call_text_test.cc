#include "harness/audit/call_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::audit {
namespace {

constexpr uint16_t kPort = 8080;

class CallTextTest : public ::testing::Test {
 protected:
  // As strace prints the call, less process and time.
  std::string text(const std::string& call, pid_t process = 1) {
    const Trace trace = read_trace("1 1.000000000 " + call + "\n");
    if (trace.events.size() != 1) return "(unread)";
    return describe_.describe(trace.events.front(), process);
  }
  CallText describe_{kPort};
};

TEST_F(CallTextTest, DescriptorsAreNamedByTheirRole) {
  EXPECT_EQ(text("accept4(3<TCP:[127.0.0.1:8080]>, {sa_family=AF_INET, sin_port=htons(60608), "
                 "sin_addr=inet_addr(\"127.0.0.1\")}, [16], SOCK_CLOEXEC) = "
                 "5<TCP:[127.0.0.1:8080->127.0.0.1:60608]>"),
            "accept4(listener, {AF_INET}, [16], SOCK_CLOEXEC) = connection");
  EXPECT_EQ(text("read(9<TCP:[127.0.0.1:4000->127.0.0.1:5432]>, \"x\"..., 10) = 10"),
            "read(outbound connection, ..., 10) = 10");
  EXPECT_EQ(text("close(7<TCPv6:[[::1]:8080->[::1]:99]>) = 0"), "close(connection) = 0");
  EXPECT_EQ(text("bind(3<TCP:[123456]>, {sa_family=AF_INET6, sin6_port=htons(0)}, 28) = 0"),
            "bind(socket, {AF_INET6}, 28) = 0");
  EXPECT_EQ(text("write(1<pipe:[4711]>, \"listening\", 9) = 9"), "write(stdout, ..., 9) = 9");
  EXPECT_EQ(text("read(0</dev/null<char 1:3>>, \"\", 9) = 0"), "read(stdin, ..., 9) = 0");
  EXPECT_EQ(text("read(6</etc/hosts>, \"127\"..., 4096) = 99"), "read(/etc/hosts, ..., 4096) = 99");
}

TEST_F(CallTextTest, TheSecondOfAKindHasANumber) {
  EXPECT_EQ(text("close(4<anon_inode:[eventpoll]>) = 0"), "close(epoll) = 0");
  EXPECT_EQ(text("close(9<anon_inode:[eventpoll]>) = 0"), "close(epoll 2) = 0");
  EXPECT_EQ(text("close(4<anon_inode:[eventpoll]>) = 0"), "close(epoll) = 0");
  EXPECT_EQ(text("read(8<anon_inode:[eventfd]>, \"\\1\\0\"..., 8) = 8"),
            "read(eventfd, ..., 8) = 8");
  EXPECT_EQ(text("close(4<anon_inode:[eventpoll]>) = 0", 2), "close(epoll 3) = 0");
}

TEST_F(CallTextTest, ARegisteredRingIsNoDescriptor) {
  EXPECT_EQ(text("io_uring_enter(0</dev/null<char 1:3>>, 1, 1, "
                 "IORING_ENTER_GETEVENTS|IORING_ENTER_REGISTERED_RING, NULL, 8) = 1"),
            "io_uring_enter(ring, 1, 1, IORING_ENTER_GETEVENTS|IORING_ENTER_REGISTERED_RING, "
            "NULL, 8) = 1");
  EXPECT_EQ(text("io_uring_enter(4<anon_inode:[io_uring]>, 1, 1, IORING_ENTER_GETEVENTS, "
                 "NULL, 8) = 1"),
            "io_uring_enter(io_uring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 8) = 1");
}

TEST_F(CallTextTest, EventsStayAndTheirPointersGo) {
  EXPECT_EQ(text("epoll_wait(4<anon_inode:[eventpoll]>, [{events=EPOLLIN|EPOLLRDHUP, "
                 "data={u32=5, u64=139857020059653}}], 64, -1) = 1"),
            "epoll_wait(epoll, [{EPOLLIN|EPOLLRDHUP}], 64, -1) = 1");
  EXPECT_EQ(
      text("epoll_ctl(4<anon_inode:[eventpoll]>, EPOLL_CTL_ADD, "
           "5<TCP:[127.0.0.1:8080->127.0.0.1:6]>, {events=EPOLLIN, data={u32=5, u64=5}}) = 0"),
      "epoll_ctl(epoll, EPOLL_CTL_ADD, connection, {EPOLLIN}) = 0");
}

TEST_F(CallTextTest, TimeoutsThatCountDownAreMaskedAndTheTwoThatMeanSomethingAreNot) {
  const std::string begin = "epoll_wait(4<anon_inode:[eventpoll]>, [], 64, ";
  EXPECT_EQ(text(begin + "437) = 0"), "epoll_wait(epoll, [], 64, ms) = 0");
  EXPECT_EQ(text(begin + "0) = 0"), "epoll_wait(epoll, [], 64, 0) = 0");
  EXPECT_EQ(text(begin + "-1) = 0"), "epoll_wait(epoll, [], 64, -1) = 0");
  EXPECT_EQ(text("poll([{fd=3<TCP:[127.0.0.1:8080]>, events=POLLIN}], 1, 250) = 1 "
                 "([{fd=3<TCP:[127.0.0.1:8080]>, revents=POLLIN}])"),
            "poll([{fd=listener, events=POLLIN}], 1, ms) = 1");
}

TEST_F(CallTextTest, PartsKeepTheirSizes) {
  EXPECT_EQ(text("writev(5<TCP:[127.0.0.1:8080->127.0.0.1:6]>, [{iov_base=\"HTTP\"..., "
                 "iov_len=80}, {iov_base=\"Hello\", iov_len=13}], 2) = 93"),
            "writev(connection, [80, 13], 2) = 93");
  EXPECT_EQ(text("sendmsg(5<TCP:[127.0.0.1:8080->127.0.0.1:6]>, {msg_name=NULL, msg_namelen=0, "
                 "msg_iov=[{iov_base=\"a\", iov_len=1}], msg_iovlen=1, msg_flags=0}, MSG_NOSIGNAL) "
                 "= 1"),
            "sendmsg(connection, {[1]}, MSG_NOSIGNAL) = 1");
}

TEST_F(CallTextTest, AddressesTimesContentsAndPidsAreMasked) {
  EXPECT_EQ(text("futex(0x7ffebe8c4134, FUTEX_WAKE_PRIVATE, 1) = 1"),
            "futex(address, FUTEX_WAKE_PRIVATE, 1) = 1");
  EXPECT_EQ(text("mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0x1000) = 0x7f12345678"),
            "mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0x1000) = address");
  EXPECT_EQ(text("nanosleep({tv_sec=0, tv_nsec=5000}, NULL) = 0"), "nanosleep({time}, NULL) = 0");
  EXPECT_EQ(text("tgkill(123, 124, SIGUSR1) = 0"), "tgkill(pid, pid, SIGUSR1) = 0");
  EXPECT_EQ(text("getpid() = 7 /* 27 in strace's PID NS */"), "getpid() = pid");
  EXPECT_EQ(text("send(5<TCP:[127.0.0.1:8080->127.0.0.1:6]>, \"a\\\"b, c) = {\", 9, 0) = 9"),
            "send(connection, ..., 9, 0) = 9");
  EXPECT_EQ(text("recv(5<TCP:[127.0.0.1:8080->127.0.0.1:6]>, 0x55d0c0ffee00, 4096, 0) = -1 EAGAIN "
                 "(Resource temporarily unavailable)"),
            "recv(connection, address, 4096, 0) = -1 EAGAIN");
}

TEST_F(CallTextTest, AThreadIsMadeOfFlags) {
  EXPECT_EQ(text("clone3({flags=CLONE_VM|CLONE_THREAD, child_tid=0x7f1234567890, "
                 "stack_size=0x7fff00} => {parent_tid=[3]}, 88) = 3 /* 4711 in strace's PID NS */"),
            "clone3({CLONE_VM|CLONE_THREAD} => {pid}, 88) = pid");
}

TEST_F(CallTextTest, PathsAreMeaningAndStay) {
  EXPECT_EQ(text("openat(AT_FDCWD</root>, \"/etc/passwd\", O_RDONLY) = 3</etc/passwd>"),
            "openat(AT_FDCWD</root>, \"/etc/passwd\", O_RDONLY) = /etc/passwd");
}

TEST_F(CallTextTest, TheSameCallOfTwoRunsReadsTheSame) {
  const std::string one = text(
      "recvfrom(5<TCP:[127.0.0.1:8080->127.0.0.1:60608]>, \"GET /a\"..., "
      "4096, 0, NULL, NULL) = 78");
  const std::string other = text(
      "recvfrom(19<TCP:[127.0.0.1:8080->127.0.0.1:33333]>, \"GET\"..., "
      "4096, 0, NULL, NULL) = 78");
  EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace hotlap::audit
