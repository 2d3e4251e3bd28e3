// Whole logs: what is kept of them, in which order, and what is left out and told.
#include "harness/load/replay_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace hotlap::load {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string line(int second, const std::string& request, const std::string& status = "200") {
  char time[64];
  snprintf(time, sizeof time, "[10/Oct/2000:13:%02d:%02d +0000]", second / 60, second % 60);
  return std::string("::1 - - ") + time + " \"" + request + " HTTP/1.1\" " + status + " 5\n";
}

std::shared_ptr<const ReplayLog> read(const std::string& text, const ReplayRules& rules = {}) {
  std::istringstream stream(text);
  std::string error;
  auto log = ReplayLog::read(stream, rules, error);
  EXPECT_EQ(log == nullptr, !error.empty());
  EXPECT_TRUE(log) << error;
  return log;
}

std::string fault_of(const std::string& text, const ReplayRules& rules = {}) {
  std::istringstream stream(text);
  std::string error;
  EXPECT_EQ(ReplayLog::read(stream, rules, error), nullptr);
  return error;
}

std::vector<std::string> starts(const ReplayLog& log, std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(log.start_line(log.kind(i)));
  return all;
}

TEST(ReplayLog, KeepsEachRequestOnceAndTheirOrder) {
  const auto log = read(line(0, "GET /a") + line(0, "HEAD /a") + line(1, "GET /a") +
                        line(2, "GET /b", "404") + line(9, "GET /a", "503"));
  EXPECT_THAT(starts(*log, 6),
              ElementsAre("GET /a", "HEAD /a", "GET /a", "GET /b", "GET /a", "GET /a"));
  EXPECT_EQ(log->size(), 5U);
  EXPECT_EQ(log->tally().distinct, 4);  // GET /a with two statuses is two
  EXPECT_EQ(log->expectations()[log->expectation(log->kind(0))],
            (ReplayLog::Expectation{false, 200}));
  EXPECT_EQ(log->expectations()[log->expectation(log->kind(1))],
            (ReplayLog::Expectation{true, 200}));
  EXPECT_EQ(log->expectations()[log->expectation(log->kind(4))],
            (ReplayLog::Expectation{false, 503}));
}

TEST(ReplayLog, ManyDistinctRequestsAreFoundAgain) {
  std::string text;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5000; ++i) text += line(round, "GET /" + std::to_string(i));
  }
  const auto log = read(text);
  EXPECT_EQ(log->distinct(), 5000U);
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(log->kind(i), log->kind(i + 5000));
    EXPECT_EQ(log->start_line(log->kind(i)), "GET /" + std::to_string(i));
  }
}

TEST(ReplayLog, ItsOwnTimingSpreadsASecond) {
  const auto log = read(line(5, "GET /a") + line(5, "GET /b") + line(8, "GET /c"));
  Arrivals arrivals;
  arrivals.kind = Arrivals::Kind::kRecorded;
  arrivals.timeline = log->timeline();
  arrivals.speed = 2;
  Schedule schedule(arrivals, Share{});
  EXPECT_EQ(schedule.at_ns(), 0);
  schedule.advance();
  EXPECT_EQ(schedule.at_ns(), 250'000'000);
  schedule.advance();
  EXPECT_EQ(schedule.at_ns(), 1'500'000'000);
  EXPECT_EQ(schedule.number(), 2);
  schedule.advance();
  EXPECT_EQ(schedule.at_ns(), 1'000'000'000'000'000'000);  // no more
  EXPECT_EQ(log->timeline()->length_s(), 4);
}

TEST(ReplayLog, LanesShareItsTiming) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += line(i / 7, "GET /" + std::to_string(i));
  Arrivals arrivals;
  arrivals.kind = Arrivals::Kind::kRecorded;
  arrivals.timeline = read(text)->timeline();
  Schedule whole(arrivals, Share{});
  std::vector<Schedule> lanes;
  for (int lane = 0; lane < 3; ++lane) lanes.emplace_back(arrivals, Share{lane, 3, 5});
  for (int i = 0; i < 100; ++i, whole.advance()) {
    Schedule& lane = lanes[static_cast<std::size_t>(i % 5 % 3)];
    EXPECT_EQ(lane.number(), i);
    EXPECT_EQ(lane.at_ns(), whole.at_ns());
    lane.advance();
  }
}

TEST(ReplayLog, LinesBehindLaterOnesGoBeforeThem) {
  const auto log = read(line(3, "GET /3a") + line(1, "GET /1") + line(3, "GET /3b") +
                        line(2, "GET /2") + line(4, "GET /4"));
  EXPECT_THAT(starts(*log, 5), ElementsAre("GET /1", "GET /2", "GET /3a", "GET /3b", "GET /4"));
  EXPECT_EQ(log->tally().out_of_order, 2);
}

TEST(ReplayLog, WhatNeedsABodyIsLeftOutOrSentEmpty) {
  const std::string text = line(0, "GET /a") + line(0, "POST /b") + line(0, "PUT /c") +
                           line(0, "PATCH /d") + line(0, "DELETE /e");
  const auto without = read(text);
  EXPECT_THAT(starts(*without, 2), ElementsAre("GET /a", "DELETE /e"));
  EXPECT_EQ(without->tally().without_body, 3);
  ReplayRules rules;
  rules.empty_bodies = true;
  const auto with = read(text, rules);
  EXPECT_EQ(with->size(), 5U);
  EXPECT_EQ(with->tally().without_body, 0);
  EXPECT_FALSE(with->takes_body(with->kind(0)));
  EXPECT_TRUE(with->takes_body(with->kind(1)));
  EXPECT_FALSE(with->takes_body(with->kind(4)));
}

TEST(ReplayLog, ExpectsWhatARequestWithoutConditionsGets) {
  const auto status_of = [](const std::string& logged, const ReplayRules& rules = {}) {
    const auto log = read(line(0, "GET /a", logged), rules);
    return log->expectations()[log->expectation(log->kind(0))].status;
  };
  EXPECT_EQ(status_of("301"), 301);
  EXPECT_EQ(status_of("304"), 200);
  EXPECT_EQ(status_of("206"), 200);
  EXPECT_EQ(status_of("499"), 0);
  EXPECT_EQ(status_of("-"), 0);
  ReplayRules any;
  any.any_status = true;
  EXPECT_EQ(status_of("301", any), 0);
}

TEST(ReplayLog, WhatIsLeftOutIsCountedByKind) {
  std::string text = "\n";
  for (int i = 0; i < 200; ++i) text += line(i, "GET /a");
  text += "garbage\n";
  text += "::1 - - [10/Oct/2000:13:55:36 +0000] \"-\" 408 -\n";
  text += line(0, "CONNECT a:443") + line(0, "GET /chat", "101") + line(0, "POST /b");
  text += "no log line either";  // without an end
  const auto log = read(text);
  const ReplayTally& tally = log->tally();
  EXPECT_EQ(tally.lines, 206);
  EXPECT_EQ(tally.requests, 200);
  EXPECT_EQ(tally.bad, 2);
  EXPECT_EQ(tally.no_request, 1);
  EXPECT_EQ(tally.no_replay, 2);
  EXPECT_EQ(tally.without_body, 1);
  EXPECT_EQ(tally.first_bad_line, 202);  // as an editor counts: the empty one is one
  EXPECT_THAT(tally.first_bad, HasSubstr("no time"));
}

TEST(ReplayLog, RefusesTooManyBadLines) {
  const std::string text = line(0, "GET /a") + "x\ny\n";
  EXPECT_THAT(fault_of(text), AllOf(HasSubstr("2 of its 3 lines"), HasSubstr("line 2: no time"),
                                    HasSubstr("common or combined format")));
  ReplayRules rules;
  rules.allowed_bad_share = 0.7;
  EXPECT_EQ(read(text, rules)->size(), 1U);
  EXPECT_THAT(fault_of(""), HasSubstr("it is empty"));
  EXPECT_THAT(fault_of("\n\n"), HasSubstr("it is empty"));
  EXPECT_THAT(fault_of("\x1f\x8b\x08..."), HasSubstr("gunzip"));
  EXPECT_THAT(fault_of(line(0, "POST /a")),
              AllOf(HasSubstr("none of its 1 lines"), HasSubstr("1 need a body")));
}

TEST(ReplayLog, AnEndlessLineIsOneBadLine) {
  std::string text(kMostLineBytes * 3, 'x');
  text += "\n";
  for (int i = 0; i < 100; ++i) text += line(i, "GET /a");
  const auto log = read(text);
  EXPECT_EQ(log->tally().bad, 1);
  EXPECT_EQ(log->tally().first_bad, "longer than 64 KiB");
  EXPECT_EQ(log->size(), 100U);
}

TEST(ReplayLog, FilesThatCannotBeReadAreNamed) {
  std::string error;
  EXPECT_EQ(ReplayLog::read("/nonexistent/access.log", {}, error), nullptr);
  EXPECT_THAT(error, AllOf(HasSubstr("/nonexistent/access.log"), HasSubstr("No such file")));
  EXPECT_EQ(ReplayLog::read("/proc", {}, error), nullptr);
  EXPECT_THAT(error, HasSubstr("no file that can be read"));
}

}  // namespace
}  // namespace hotlap::load
