// Every date variant writes 29 bytes of the form of RFC 9110, never more than a second behind.
#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <thread>

#include "server/stage_state.h"
#include "variants/contract/guarded.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

class DateContract : public testing::TestWithParam<const DateStage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(GetParam()->info)) GTEST_SKIP() << why;
  }
  std::string written(StageState& state) {
    char* const room = guarded_.room(kDateBytes);
    GetParam()->write(state.get(), room);
    return {room, kDateBytes};
  }

 private:
  Guarded guarded_;
};

time_t now() {
  timespec at{};
  clock_gettime(CLOCK_REALTIME, &at);
  return at.tv_sec;
}

// Seconds since the epoch, or -1 where the form is not exactly that of RFC 9110.
time_t seconds_of(const std::string& date) {
  tm utc{};
  const char* end = strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  if (date.size() != 29 || end == nullptr || *end != '\0') return -1;
  const time_t seconds = timegm(&utc);
  char again[64];
  strftime(again, sizeof again, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&seconds, &utc));
  return date == again ? seconds : -1;
}

// `before` and `after` were read around the write.
void expect_fresh(const std::string& date, time_t before, time_t after) {
  const time_t shown = seconds_of(date);
  ASSERT_NE(shown, -1) << date;
  EXPECT_GE(shown, before - 1) << date;
  EXPECT_LE(shown, after) << date;
}

TEST_P(DateContract, FormatAndFreshness) {
  StageState state(GetParam()->info);
  for (int i = 0; i < 1000; ++i) {
    const time_t before = now();
    const std::string date = written(state);
    ASSERT_NO_FATAL_FAILURE(expect_fresh(date, before, now()));
  }
}

TEST_P(DateContract, TicksOnceASecond) {
  StageState state(GetParam()->info);
  const time_t start = now();
  written(state);
  for (time_t second = start + 1; second <= start + 2; ++second) {
    // 20 ms after the second has begun; nothing was written since the second before.
    timespec at{second, 20'000'000};
    // tidy: allow sleep: the passing of time is the subject
    while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, nullptr) != 0) {
    }
    const time_t before = now();
    ASSERT_NO_FATAL_FAILURE(expect_fresh(written(state), before, now()));
  }
}

// As after a handler that blocked: the first write of a thread that was away must not be old.
TEST_P(DateContract, NotStaleAfterABlockedHandler) {
  StageState state(GetParam()->info);
  written(state);
  timespec away{2, 100'000'000};
  // tidy: allow sleep: the passing of time is the subject
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &away, &away) != 0) {
  }
  const time_t before = now();
  expect_fresh(written(state), before, now());
}

TEST_P(DateContract, EveryThreadHasItsOwn) {
  std::string dates[2];
  {
    std::jthread one([&] {
      StageState state(GetParam()->info);
      GetParam()->write(state.get(), (dates[0] = std::string(kDateBytes, ' ')).data());
    });
    std::jthread two([&] {
      StageState state(GetParam()->info);
      GetParam()->write(state.get(), (dates[1] = std::string(kDateBytes, ' ')).data());
    });
  }
  EXPECT_NE(seconds_of(dates[0]), -1);
  EXPECT_NE(seconds_of(dates[1]), -1);
}

INSTANTIATE_TEST_SUITE_P(Registry, DateContract,
                         testing::ValuesIn(variants_of<DateStage>().begin(),
                                           variants_of<DateStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
