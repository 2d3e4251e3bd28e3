// What a request costs in system calls, counted by strace from outside: what the variants of
// receive, readiness and dispatch claim of themselves. Skipped, with the reason, where there is no
// strace or it may not trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "server/conformance/peer.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/sanitized.h"
#include "server/conformance/server_process.h"
#include "server/pipeline.h"

namespace hotlap::conformance {
namespace {

using testing::EndsWith;

using Calls = std::map<std::string, int>;

constexpr int kFewRequests = 10;
constexpr int kManyRequests = 60;

pid_t only_child_of(pid_t parent) {
  const std::string id = std::to_string(parent);
  pid_t child = -1;
  std::ifstream("/proc/" + id + "/task/" + id + "/children") >> child;
  return child;
}

bool all_threads_sleep(pid_t process) {
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream file(task.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    const size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos || stat[name_end + 2] != 'S') return false;
  }
  return !error;
}

// Until nothing that the last request asked for is left to do: not even giving a connection back.
bool await_rest(pid_t process) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (int looks_asleep = 0; looks_asleep < 3;) {
    if (std::chrono::steady_clock::now() > patience) return false;
    looks_asleep = all_threads_sleep(process) ? looks_asleep + 1 : 0;
    std::this_thread::yield();
  }
  return true;
}

// The call that a line of the trace begins, `123  recvfrom(4, ...`; empty where it begins none.
std::string call_in(const std::string& line) {
  const size_t begin = line.find_first_not_of("0123456789 ");
  if (begin == std::string::npos || begin == 0) return "";
  const size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", begin);
  return end != std::string::npos && line[end] == '(' ? line.substr(begin, end - begin) : "";
}

// Every call by its name; a recvfrom that only looks counts as `peek`.
Calls calls_in(const std::string& trace) {
  Calls calls;
  std::ifstream file(trace);
  for (std::string line; std::getline(file, line);) {
    const std::string call = call_in(line);
    if (call.empty()) continue;
    const bool peeks = line.find("MSG_PEEK") != std::string::npos;
    ++calls[peeks ? "peek" : call];
  }
  return calls;
}

class Syscalls : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer makes calls of its own, and refuses to be traced";
    if (std::system("strace -f -o /dev/null true 2>/dev/null") != 0) {
      GTEST_SKIP() << "`strace true` does not run here: not installed, or tracing is forbidden";
    }
  }

  // Calls of a whole life with so many requests on one connection.
  Calls calls_of_life(const std::string& spec, int requests) {
    std::string trace = testing::TempDir() + "hotlap-trace-XXXXXX";
    close(mkstemp(trace.data()));
    std::vector<std::string> command = {"/usr/bin/env", "strace", "-f", "-o", trace};
    for (const std::string& part : server_command(spec)) command.push_back(part);
    ServerProcess tracer(command);
    EXPECT_EQ(tracer.error(), "");
    // Open until the server has ended: whether it still saw the peer close would be a race.
    Peer peer(tracer.endpoint());
    for (int i = 0; i < requests; ++i) EXPECT_THAT(peer.ask(kPing), EndsWith("pong"));
    const pid_t server = only_child_of(tracer.pid());
    EXPECT_TRUE(await_rest(server));
    kill(server, SIGTERM);
    EXPECT_EQ(tracer.wait_for_exit(20'000), 0);
    const Calls calls = calls_in(trace);
    unlink(trace.c_str());
    return calls;
  }

  // Calls that the requests of a longer life made, without those of start and end.
  Calls calls_of_requests(const std::string& spec) {
    const Calls few = calls_of_life(spec, kFewRequests);
    Calls many = calls_of_life(spec, kManyRequests);
    for (const auto& [name, count] : few) many[name] -= count;
    return many;
  }
};

constexpr int kCounted = kManyRequests - kFewRequests;

TEST_F(Syscalls, OfEachReceiveVariant) {
  struct Expected {
    const char* receive;
    int poll, peek, recv;
  };
  for (const auto& [receive, poll, peek, recv] :
       {Expected{"recv_once", 0, 0, 1}, Expected{"recv_until_eagain", 0, 0, 2},
        Expected{"peek_then_recv", 2, 1, 2}}) {
    SCOPED_TRACE(receive);
    Calls calls = calls_of_requests(std::string("fast,receive=") + receive);
    EXPECT_EQ(calls["poll"], poll * kCounted);
    EXPECT_EQ(calls["peek"], peek * kCounted);
    EXPECT_EQ(calls["recvfrom"], recv * kCounted);
    EXPECT_EQ(calls["sendto"], kCounted);
    EXPECT_EQ(calls["epoll_ctl"], 0);
  }
}

TEST_F(Syscalls, OfEachReadinessVariant) {
  struct Expected {
    const char* readiness;
    const char* call;
  };
  // Waits for nothing, when a deadline is looked at, come on top.
  constexpr int kSweeps = 10;
  for (const auto& [readiness, call] :
       {Expected{"epoll_level", "epoll_wait"}, Expected{"epoll_edge", "epoll_wait"},
        Expected{"poll", "poll"}, Expected{"pselect", "pselect6"}}) {
    SCOPED_TRACE(readiness);
    Calls calls = calls_of_requests(std::string("fast,readiness=") + readiness);
    EXPECT_EQ(calls["recvfrom"], kCounted);
    EXPECT_EQ(calls["epoll_ctl"], 0);
    EXPECT_NEAR(calls[call], kCounted, kSweeps);
  }
}

TEST_F(Syscalls, OfAPool) {
  Calls calls = calls_of_requests("fast,dispatch=thread_pool:1");
  EXPECT_EQ(calls["recvfrom"], kCounted);
  // Armed anew for every event, and no more often when the next one is there already.
  EXPECT_EQ(calls["epoll_ctl"], kCounted);
}

TEST_F(Syscalls, OfARing) {
  std::string error;
  if (!server::parse_pipeline("fast,dispatch=io_uring", error)) GTEST_SKIP() << error;
  Calls calls = calls_of_requests("fast,dispatch=io_uring");
  for (const char* name : {"recvfrom", "recvmsg", "sendto", "sendmsg", "accept4", "epoll_wait"}) {
    EXPECT_EQ(calls[name], 0) << name;
  }
  // Its two completions come with one call or with one each.
  EXPECT_GE(calls["io_uring_enter"], kCounted);
  EXPECT_LE(calls["io_uring_enter"], 2 * kCounted + 10);
}

}  // namespace
}  // namespace hotlap::conformance
