#include "harness/audit/raw_call_text.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "harness/audit/call_text.h"

namespace hotlap::audit {
namespace {

constexpr char kConnection[] = "TCP:[127.0.0.1:80->127.0.0.1:1]";
constexpr char kEpoll[] = "anon_inode:[eventpoll]";
constexpr uint64_t kBuffer = 0x7f1200001000;

std::string text(const RawCall& call) {
  return absl::StrCat(call.name, "(", arguments_text(call), ") = ", result_text(call));
}

// As the audit shows it.
std::string shown(const RawCall& call) {
  TracedEvent event;
  event.name = call.name;
  event.arguments = arguments_text(call);
  event.result = result_text(call);
  return CallText(80).describe(event, 1);
}

TEST(RawCallTextTest, DescriptorsSizesAndResultsAreThoseOfStrace) {
  const RawCall call{.name = "recvfrom",
                     .arguments = {6, kBuffer, 4096, 0, 0, 0},
                     .result = 78,
                     .descriptors = {kConnection}};
  EXPECT_EQ(text(call),
            "recvfrom(6<TCP:[127.0.0.1:80->127.0.0.1:1]>, ..., 4096, 0, NULL, NULL) = 78");
  EXPECT_EQ(shown(call), "recvfrom(connection, ..., 4096, 0, NULL, NULL) = 78");
}

TEST(RawCallTextTest, FlagsOfARingHaveNames) {
  const RawCall call{.name = "io_uring_enter",
                     .arguments = {0, 1, 1, 0x11, 0, 8},
                     .result = 1,
                     .descriptors = {kEpoll}};
  EXPECT_EQ(shown(call),
            "io_uring_enter(ring, 1, 1, IORING_ENTER_GETEVENTS|IORING_ENTER_REGISTERED_RING, "
            "NULL, 8) = 1");
}

TEST(RawCallTextTest, WhatWasNotFilledIsAnAddress) {
  const RawCall call{.name = "recvfrom",
                     .arguments = {6, kBuffer, 4096, 0, 0, 0},
                     .result = -EAGAIN,
                     .descriptors = {kConnection}};
  EXPECT_EQ(shown(call), "recvfrom(connection, address, 4096, 0, NULL, NULL) = -1 EAGAIN");
}

TEST(RawCallTextTest, WhatWasToBeReadIsNone) {
  EXPECT_EQ(shown({.name = "sendto",
                   .arguments = {6, kBuffer, 115, MSG_NOSIGNAL, 0, 0},
                   .result = -EPIPE,
                   .descriptors = {kConnection}}),
            "sendto(connection, ..., 115, MSG_NOSIGNAL, NULL, 0) = -1 EPIPE");
  EXPECT_EQ(shown({.name = "writev",
                   .arguments = {6, kBuffer, 2},
                   .result = 93,
                   .descriptors = {kConnection}}),
            "writev(connection, ..., 2) = 93");
}

TEST(RawCallTextTest, EventsAreAsManyAsTheResultSays) {
  RawCall call{.name = "epoll_wait",
               .arguments = {4, kBuffer, 256, 0xffffffff},
               .result = 0,
               .descriptors = {kEpoll}};
  EXPECT_EQ(shown(call), "epoll_wait(epoll, [], 256, -1) = 0");
  call.result = 1;
  call.arguments[3] = 437;
  EXPECT_EQ(shown(call), "epoll_wait(epoll, ..., 256, ms) = 1");
}

TEST(RawCallTextTest, FlagsAreNamed) {
  EXPECT_EQ(text({.name = "socket",
                  .arguments = {AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 6},
                  .result = 3,
                  .result_descriptor = "TCP:[0]"}),
            "socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, 6) = 3<TCP:[0]>");
  EXPECT_EQ(shown({.name = "epoll_ctl",
                   .arguments = {4, EPOLL_CTL_ADD, 6, kBuffer},
                   .result = 0,
                   .descriptors = {kEpoll, "", kConnection}}),
            "epoll_ctl(epoll, EPOLL_CTL_ADD, connection, ...) = 0");
  EXPECT_EQ(shown({.name = "setsockopt",
                   .arguments = {6, SOL_TCP, TCP_NODELAY, kBuffer, 4},
                   .result = 0,
                   .descriptors = {kConnection}}),
            "setsockopt(connection, SOL_TCP, TCP_NODELAY, ..., 4) = 0");
  EXPECT_EQ(text({.name = "mmap",
                  .arguments = {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                0xffffffff, 0},
                  .result = 0x7f1200000000}),
            "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = "
            "0x7f1200000000");
  EXPECT_EQ(text({.name = "openat",
                  .arguments = {static_cast<uint64_t>(AT_FDCWD), kBuffer, O_RDONLY | O_CLOEXEC},
                  .result = 3,
                  .result_descriptor = "file"}),
            "openat(AT_FDCWD, ..., O_RDONLY|O_CLOEXEC) = 3<file>");
  EXPECT_EQ(text({.name = "shutdown", .arguments = {6, 5}, .result = 0}), "shutdown(6<>, 0x5) = 0");
}

TEST(RawCallTextTest, AFutexHasWhatItsOperationTakes) {
  EXPECT_EQ(shown({.name = "futex",
                   .arguments = {kBuffer, FUTEX_WAKE_PRIVATE, 1, kBuffer, kBuffer, 9},
                   .result = 1}),
            "futex(address, FUTEX_WAKE_PRIVATE, 1) = 1");
  EXPECT_EQ(shown({.name = "futex",
                   .arguments = {kBuffer, FUTEX_WAIT_PRIVATE, 0, kBuffer, kBuffer, 9},
                   .result = -EAGAIN}),
            "futex(address, FUTEX_WAIT_PRIVATE, 0, {time}) = -1 EAGAIN");
  const uint64_t bitset = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
  EXPECT_EQ(shown({.name = "futex",
                   .arguments = {kBuffer, bitset, 0, 0, 0, FUTEX_BITSET_MATCH_ANY},
                   .result = 0}),
            "futex(address, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 0, NULL, "
            "FUTEX_BITSET_MATCH_ANY) = 0");
}

TEST(RawCallTextTest, AThreadIsToldFromAProcess) {
  RawCall call{.name = "clone3", .arguments = {kBuffer, 88}, .result = 3};
  call.created = 4711;
  EXPECT_EQ(text(call), "clone3(..., 88) = 3 /* 4711 in strace's PID NS */");
  call.made_thread = true;
  EXPECT_EQ(shown(call), "clone3({CLONE_THREAD|...}, 88) = pid");
  EXPECT_EQ(created_task(result_text(call)), 4711);
  EXPECT_EQ(
      shown({.name = "clone",
             .arguments = {CLONE_CHILD_SETTID | SIGCHLD, 0, 0, kBuffer, 0},
             .result = 3}),
      "clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=address) = pid");
  EXPECT_EQ(shown({.name = "clone",
                   .arguments = {CLONE_VM | CLONE_THREAD | CLONE_SETTLS, kBuffer, 0, 0, kBuffer},
                   .result = 3}),
            "clone(child_stack=address, flags=CLONE_VM|CLONE_THREAD|CLONE_SETTLS, tls=address) = "
            "pid");
}

TEST(RawCallTextTest, CallsThatDidNotReturn) {
  EXPECT_EQ(text({.name = "exit_group", .arguments = {0}}), "exit_group(0) = ?");
  EXPECT_EQ(text({.name = "pause", .result = -514}), "pause() = ? ERESTARTNOHAND");
}

TEST(RawCallTextTest, ACallThatIsNotKnownHasNoArguments) {
  EXPECT_EQ(text({.name = "keyctl", .arguments = {1, 2, 3}, .result = 5}), "keyctl(...) = 5");
}

TEST(RawCallTextTest, EveryRowIsFound) {
  EXPECT_TRUE(is_descriptor("accept", 0));
  EXPECT_TRUE(is_descriptor("writev", 0));
  EXPECT_TRUE(is_descriptor("sendfile", 1));
  EXPECT_FALSE(is_descriptor("recvfrom", 1));
  EXPECT_FALSE(is_descriptor("keyctl", 0));
}

}  // namespace
}  // namespace hotlap::audit
