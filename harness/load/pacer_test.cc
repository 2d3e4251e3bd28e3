// The queue of due starts and its tallies, without any connection.
#include "harness/load/pacer.h"

#include <gtest/gtest.h>

namespace hotlap::load {
namespace {

constexpr std::int64_t kS = 1'000'000'000;

OpenLoop at_rate(double rate_per_s, std::int64_t most_waiting) {
  OpenLoop loop;
  loop.arrivals.rate_per_s = rate_per_s;
  loop.most_waiting = most_waiting;
  return loop;
}

// oha#364: an hour at 11,000 a second made memory grow and the rate sag.
TEST(Pacer, AnHourIsAsSteadyAsItsFirstSecond) {
  const OpenLoop loop = at_rate(11'000, 110'000);
  Pacer pacer(loop, {0, 1, 1}, 0, 3600 * kS, nullptr);
  std::int64_t sent = 0;
  while (pacer.next_ns() != INT64_MAX) {
    const std::int64_t now = pacer.next_ns();
    ASSERT_EQ(pacer.admit(now), 1);
    ASSERT_EQ(pacer.first_ns(), now);
    pacer.sent(now, 0);
    ++sent;
  }
  EXPECT_EQ(sent, std::int64_t{11'000} * 3600);
  EXPECT_LE(pacer.pacing().worst_gap_ns, 1);
}

TEST(Pacer, TheOnesThatWaitedLongestAreGivenUp) {
  Pacer pacer(at_rate(10, 3), {0, 1, 1}, 0, kS, nullptr);
  EXPECT_EQ(pacer.admit(kS / 2), 6);
  EXPECT_EQ(pacer.give_up_beyond_bound(), 3);
  EXPECT_EQ(pacer.waiting(), 3);
  EXPECT_EQ(pacer.first_ns(), 3 * kS / 10);
  EXPECT_EQ(pacer.next_ns(), 6 * kS / 10);
  EXPECT_EQ(pacer.end(), 3);
  EXPECT_EQ(pacer.next_ns(), INT64_MAX);
}

TEST(Pacer, LatenessIsTheGeneratorsOwn) {
  Pacer pacer(at_rate(10, 100), {0, 1, 1}, 0, kS, nullptr);
  EXPECT_EQ(pacer.admit(kS / 4), 3);
  pacer.sent(7, 0);                 // planned at 0, and nothing hindered it
  pacer.sent(kS / 5 + 11, kS / 5);  // planned at 0.1 s, but free only at 0.2 s
  EXPECT_EQ(pacer.pacing().lateness.min_ns(), 7);
  EXPECT_EQ(pacer.pacing().lateness.max_ns(), 11);
  EXPECT_EQ(pacer.pacing().worst_gap_ns, kS / 10 + 4);
}

// Four connections, and a generator that was stopped for the first second: what was due meanwhile
// then waits for connections, but for that second only the generator is to blame.
TEST(Pacer, WhatWasDueWhileTheGeneratorWasAwayWasLate) {
  constexpr std::int64_t kMs = 1'000'000;
  Pacer pacer(at_rate(1000, 10'000), {0, 1, 1}, 0, 2 * kS, nullptr);
  EXPECT_EQ(pacer.admit(kS - 1), 1000);
  for (int i = 0; i < 4; ++i) pacer.sent(kS, 0);
  pacer.sent(kS + 5 * kMs, kS);  // away again, for a little
  for (int i = 5; i < 1000; ++i) pacer.sent(kS + (500 + i) * kMs / 100, kS + (500 + i) * kMs / 100);
  const Histogram& lateness = pacer.pacing().lateness;
  EXPECT_EQ(lateness.max_ns(), kS);
  EXPECT_NEAR(static_cast<double>(*lateness.quantile_ns(0.5)), 0.5e9, 0.01e9);
  // What is planned after its return finds it at work.
  EXPECT_EQ(pacer.admit(kS + 20 * kMs), 21);
  for (int i = 0; i < 21; ++i) pacer.sent(kS + 20 * kMs + i, kS + 20 * kMs + i);
  EXPECT_EQ(lateness.min_ns(), 0);
  EXPECT_EQ(lateness.count(), 1021);
}

// It was away from when the first connection was there to send on, not the last of them.
TEST(Pacer, AwayBeginsWithTheFirstFreeConnection) {
  Pacer pacer(at_rate(1000, 10'000), {0, 1, 1}, 0, 2 * kS, nullptr);
  EXPECT_EQ(pacer.admit(kS - 1), 1000);
  pacer.sent(kS, kS / 2);
  pacer.sent(kS, 9 * kS / 10);
  for (int i = 2; i < 1000; ++i) pacer.sent(kS + i, kS + i);
  const Histogram& lateness = pacer.pacing().lateness;
  EXPECT_EQ(lateness.max_ns(), kS / 2);
  EXPECT_NEAR(static_cast<double>(*lateness.quantile_ns(0.6)), 0.5e9, 0.01e9);
}

// A connection that comes free late is the server's doing.
TEST(Pacer, WaitingForAConnectionIsNoLateness) {
  Pacer pacer(at_rate(1000, 10'000), {0, 1, 1}, 0, 2 * kS, nullptr);
  EXPECT_EQ(pacer.admit(kS - 1), 1000);
  for (int i = 0; i < 1000; ++i) pacer.sent(kS + i, kS + i);
  EXPECT_EQ(pacer.pacing().lateness.max_ns(), 0);
}

TEST(Pacer, TheBudgetIsSharedAndEndsThePlan) {
  std::atomic<std::int64_t> budget{5};
  Pacer one(at_rate(10, 100), {0, 2, 2}, 0, 100 * kS, &budget);
  Pacer two(at_rate(10, 100), {1, 2, 2}, 0, 100 * kS, &budget);
  EXPECT_EQ(one.admit(kS / 2), 3);  // 0, 0.2, 0.4
  EXPECT_EQ(two.admit(kS), 2);      // 0.1, 0.3, and no more
  EXPECT_EQ(two.next_ns(), INT64_MAX);
  EXPECT_FALSE(two.finished());
  two.sent(kS, 0);
  two.sent(kS, 0);
  EXPECT_TRUE(two.finished());
}

TEST(Pacer, ALaneWithoutAShareOfTheQueueStillHasItsPart) {
  Pacer pacer(at_rate(10, 1), {2, 4, 4}, 0, kS, nullptr);
  EXPECT_EQ(pacer.admit(kS), 2);  // 0.2 and 0.6 s
  EXPECT_EQ(pacer.give_up_beyond_bound(), 1);
}

}  // namespace
}  // namespace hotlap::load
