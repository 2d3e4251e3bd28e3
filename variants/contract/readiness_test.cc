// Every readiness variant over socket pairs: what is reported and how often, who may change it, and
// where it refuses.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "server/stage_state.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;
using Clock = std::chrono::steady_clock;

constexpr int kForEver = 10'000;  // ms; a test that waits so long has failed

class Pair {
 public:
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds_), 0); }
  ~Pair() {
    close(fds_[0]);
    hang_up();
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int fd() const { return fds_[0]; }
  void send(std::string_view bytes) {
    EXPECT_EQ(write(fds_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::string take(size_t bytes) {
    std::string out(bytes, '\0');
    const ssize_t got = read(fds_[0], out.data(), bytes);
    out.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return out;
  }
  void fill() {
    const std::string bytes(65536, 'f');
    while (write(fds_[0], bytes.data(), bytes.size()) > 0) {
    }
  }
  void drain_other() {
    char bytes[65536];
    while (read(fds_[1], bytes, sizeof(bytes)) > 0) {
    }
  }
  void hang_up() {
    if (fds_[1] >= 0) close(fds_[1]);
    fds_[1] = -1;
  }

 private:
  int fds_[2];
};

class ReadinessContract : public testing::TestWithParam<const ReadinessStage*> {
 protected:
  ReadinessContract() : stage_(*GetParam()), state_(stage_.info) {
    EXPECT_TRUE(stage_.open(state_.get()));
  }
  ~ReadinessContract() override { stage_.close(state_.get()); }

  bool watch(Pair& pair, std::uint32_t interest) {
    return stage_.watch(state_.get(), pair.fd(), &pair, interest);
  }
  bool change(Pair& pair, std::uint32_t interest) {
    return stage_.change(state_.get(), pair.fd(), &pair, interest);
  }
  // What one wait reports of `pair`; 0 when nothing, and nothing of any other.
  std::uint32_t reported(const Pair& pair, int timeout_ms) {
    ReadyEvent events[8];
    const int count = stage_.wait(state_.get(), events, 8, timeout_ms);
    EXPECT_LE(count, 1);
    if (count < 1) return 0;
    EXPECT_EQ(events[0].token, &pair);
    return events[0].ready & ~kPeerEnded;
  }

  const ReadinessStage& stage_;
  StageState state_;
};

TEST_P(ReadinessContract, ReportsWhatIsAskedForAndNoMore) {
  Pair pair;
  ASSERT_TRUE(watch(pair, kReadable));
  EXPECT_EQ(reported(pair, 0), 0u);
  pair.send("a");
  EXPECT_EQ(reported(pair, kForEver), kReadable);
  ASSERT_TRUE(change(pair, kWritable));
  EXPECT_EQ(reported(pair, kForEver), kWritable);
  ASSERT_TRUE(change(pair, kReadable | kWritable));
  EXPECT_EQ(reported(pair, kForEver), kReadable | kWritable);
  pair.fill();
  EXPECT_EQ(pair.take(10), "a");
  ASSERT_TRUE(change(pair, kWritable));
  EXPECT_EQ(reported(pair, 0), 0u);
  pair.drain_other();
  EXPECT_EQ(reported(pair, kForEver), kWritable);
  stage_.forget(state_.get(), pair.fd());
}

TEST_P(ReadinessContract, WhatIsLeftIsReportedAgain) {
  Pair pair;
  ASSERT_TRUE(watch(pair, kReadable));
  pair.send("ab");
  EXPECT_EQ(reported(pair, kForEver), kReadable);
  EXPECT_EQ(pair.take(1), "a");
  if (stage_.edge) {
    EXPECT_EQ(reported(pair, 0), 0u) << "it says that it is an edge";
    ASSERT_TRUE(change(pair, kReadable));
  }
  EXPECT_EQ(reported(pair, kForEver), kReadable);
  EXPECT_EQ(pair.take(10), "b");
  EXPECT_EQ(reported(pair, 0), 0u);
  pair.send("c");
  EXPECT_EQ(reported(pair, kForEver), kReadable);
  stage_.forget(state_.get(), pair.fd());
}

TEST_P(ReadinessContract, UntilTakenIsReportedAsLongAsItHolds) {
  Pair pair;
  ASSERT_TRUE(watch(pair, kReadable | kUntilTaken));
  pair.send("a");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reported(pair, kForEver), kReadable);
  EXPECT_EQ(pair.take(10), "a");
  EXPECT_EQ(reported(pair, 0), 0u);
  stage_.forget(state_.get(), pair.fd());
}

TEST_P(ReadinessContract, OnceIsOnceUntilArmedAnew) {
  Pair pair;
  ASSERT_TRUE(watch(pair, kReadable | kOnce));
  pair.send("a");
  EXPECT_EQ(reported(pair, kForEver), kReadable);
  pair.send("b");
  EXPECT_EQ(reported(pair, 0), 0u);
  ASSERT_TRUE(change(pair, kReadable | kOnce));
  EXPECT_EQ(reported(pair, kForEver), kReadable) << "what was so already";
  pair.hang_up();
  EXPECT_EQ(reported(pair, 0), 0u) << "spins on a hang-up that nobody asked for";
  ASSERT_TRUE(change(pair, kReadable | kOnce));
  EXPECT_NE(reported(pair, kForEver) & kReadable, 0u);
  stage_.forget(state_.get(), pair.fd());
}

TEST_P(ReadinessContract, AnEndIsReadableAndSaidSoByAnEdge) {
  Pair pair;
  ASSERT_TRUE(watch(pair, kReadable));
  pair.send("last");
  pair.hang_up();
  ReadyEvent event{};
  ASSERT_EQ(stage_.wait(state_.get(), &event, 1, kForEver), 1);
  EXPECT_NE(event.ready & kReadable, 0u);
  EXPECT_EQ((event.ready & kPeerEnded) != 0, stage_.edge);
  stage_.forget(state_.get(), pair.fd());
}

TEST_P(ReadinessContract, AChangeByAnotherThreadEndsTheWait) {
  for (int i = 0; i < 200; ++i) {
    Pair pair;
    ASSERT_TRUE(watch(pair, kReadable | kOnce));
    pair.send("a");
    ASSERT_EQ(reported(pair, kForEver), kReadable);
    const auto started = Clock::now();
    std::thread other([&] { EXPECT_TRUE(change(pair, kReadable | kOnce)); });
    std::uint32_t ready = 0;  // a wait may also end without an event
    while (ready == 0 && Clock::now() - started < std::chrono::seconds(5)) {
      ready = reported(pair, kForEver);
    }
    other.join();
    EXPECT_EQ(ready, kReadable);
    ASSERT_LT(Clock::now() - started, std::chrono::seconds(5)) << "was not woken";
    stage_.forget(state_.get(), pair.fd());
  }
}

// More are ready than one wait may tell: each has its turn.
TEST_P(ReadinessContract, NoneWaitsBehindTheOthersForEver) {
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<int> turns(20, 0);
  for (size_t i = 0; i < turns.size(); ++i) {
    pairs.push_back(std::make_unique<Pair>());
    pairs.back()->send("a");
    stage_.watch(state_.get(), pairs.back()->fd(), &turns[i], kReadable | kUntilTaken);
  }
  for (int wait = 0; wait < 40; ++wait) {
    ReadyEvent events[4];
    const int count = stage_.wait(state_.get(), events, 4, kForEver);
    ASSERT_EQ(count, 4);
    for (int i = 0; i < count; ++i) ++*static_cast<int*>(events[i].token);
  }
  for (size_t i = 0; i < turns.size(); ++i) EXPECT_GE(turns[i], 4) << i;
  for (auto& pair : pairs) stage_.forget(state_.get(), pair->fd());
}

TEST_P(ReadinessContract, ForgottenOnesAreNotReported) {
  Pair first;
  Pair second;
  Pair third;
  for (Pair* pair : {&first, &second, &third}) ASSERT_TRUE(watch(*pair, kReadable));
  for (Pair* pair : {&first, &second}) {
    pair->send("a");
    stage_.forget(state_.get(), pair->fd());
  }
  // epoll forgets with the descriptor.
  if (std::string_view(stage_.info.name).starts_with("epoll")) return;
  EXPECT_EQ(reported(third, 0), 0u);
  third.send("a");
  EXPECT_EQ(reported(third, kForEver), kReadable);
  stage_.forget(state_.get(), third.fd());
}

TEST_P(ReadinessContract, ADescriptorBeyondItsLimitIsRefused) {
  Pair pair;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 1100) GTEST_SKIP() << "needs 1,100 descriptors";
  const bool limited = (stage_.info.exemptions & kExemptPselect) != 0;
  for (const int at : {1000, 1024, 1050}) {
    const int fd = fcntl(pair.fd(), F_DUPFD, at);
    ASSERT_GE(fd, at);
    EXPECT_EQ(stage_.watch(state_.get(), fd, &pair, kReadable), !limited) << fd;
    EXPECT_EQ(stage_.change(state_.get(), fd, &pair, kReadable), !limited) << fd;
    stage_.forget(state_.get(), fd);
    close(fd);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ReadinessContract,
                         testing::ValuesIn(variants_of<ReadinessStage>().begin(),
                                           variants_of<ReadinessStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
