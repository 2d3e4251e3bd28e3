// The load RPC's work without the RPC: defaults, refusals, and what the lines and the result hold.
#include "harness/agent/plain_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>

#include "harness/agent/open_loop.h"
#include "harness/load/scripted_server.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::LoadRequest;
using hotlap::v1::LoadResponse;
using hotlap::v1::OpenLoop;
using ::testing::HasSubstr;

LoadRequest request_to(const std::string& host) {
  LoadRequest request;
  request.set_endpoint(host);
  request.set_duration_s(0.2);
  request.mutable_workload()->set_connections(4);
  return request;
}

absl::Status load(const LoadRequest& request, LoadResponse& last) {
  Cancellation cancellation;
  Cancellation stop;
  return plain_load(request, cancellation, stop, [&last](const LoadResponse& line) {
    last = line;
    return true;
  });
}

TEST(PlainLoad, AnOpenLoopHasDefaultsThatAreTold) {
  load::ScriptedServer server(load::always(load::reply("x")));
  LoadRequest request = request_to(server.host());
  request.mutable_open()->set_rate_per_s(200);
  request.mutable_open()->set_arrivals(OpenLoop::POISSON);
  LoadResponse last;
  ASSERT_TRUE(load(request, last).ok());
  EXPECT_TRUE(last.final());
  EXPECT_EQ(last.effective_open().most_waiting(), 2000U);
  EXPECT_TRUE(last.effective_open().has_seed());
  // On a machine that is busy elsewhere the last of them may come too late to be sent.
  EXPECT_EQ(last.counts().started(), last.counts().ok() + last.counts().never_sent());
  EXPECT_GT(last.counts().ok(), 0);
  EXPECT_TRUE(last.has_service());
  EXPECT_TRUE(last.pacing().has_gap_distance());
  EXPECT_FALSE(last.has_little_ratio());
  EXPECT_GT(last.sending_s(), 0.15);
  EXPECT_LT(last.sending_s(), 60);
}

TEST(PlainLoad, AClosedLoopHasOneTimeOnly) {
  load::ScriptedServer server(load::always(load::reply("x")));
  LoadResponse last;
  ASSERT_TRUE(load(request_to(server.host()), last).ok());
  EXPECT_GT(last.counts().ok(), 0);
  EXPECT_FALSE(last.has_service());
  EXPECT_FALSE(last.has_effective_open());
  EXPECT_TRUE(last.has_little_ratio());
  EXPECT_GT(last.busiest_thread_share(), 0);
}

TEST(PlainLoad, SoManyRequestsAndNoMore) {
  load::ScriptedServer server(load::always(load::reply("x")));
  LoadRequest request = request_to(server.host());
  request.set_duration_s(0);
  request.set_requests(250);
  LoadResponse last;
  ASSERT_TRUE(load(request, last).ok());
  EXPECT_EQ(last.counts().started(), 250);
  EXPECT_EQ(last.counts().ok(), 250);
  request.mutable_open()->set_rate_per_s(1000);
  request.set_requests(25);
  ASSERT_TRUE(load(request, last).ok());
  EXPECT_EQ(last.counts().ok(), 25);
  EXPECT_LT(last.sending_s(), 600) << "not the day that it might last";
}

// A server that hangs in the last second is no sound one.
TEST(PlainLoad, WhatIsNeverAnsweredTimesOutThoughTheLoadIsOver) {
  load::ScriptedServer server([](load::Peer& peer) {
    while (peer.request()) {
    }
  });
  LoadRequest request = request_to(server.host());
  request.mutable_workload()->set_timeout_ms(1500);
  LoadResponse last;
  ASSERT_TRUE(load(request, last).ok());
  EXPECT_EQ(last.counts().started(), 4);
  EXPECT_EQ(last.counts().timeout(), 4);
  EXPECT_EQ(last.counts().in_flight(), 0);
}

TEST(PlainLoad, EveryTargetIsAskedAsOftenAsItWeighs) {
  std::atomic<int> asked_b{0};
  load::ScriptedServer server([&](load::Peer& peer) {
    while (const auto request = peer.request()) {
      if (request->find("/b") != std::string::npos) ++asked_b;
      if (!peer.write(load::reply("x"))) return;
    }
  });
  LoadRequest request = request_to(server.host());
  request.set_duration_s(0);
  request.set_requests(20);
  request.mutable_workload()->set_connections(20);
  for (const char* target : {"/a", "/b"})
    request.mutable_workload()->add_requests()->set_target(target);
  request.mutable_workload()->mutable_requests(0)->set_weight(9);
  request.mutable_workload()->mutable_requests(1)->set_weight(1);
  LoadResponse last;
  ASSERT_TRUE(load(request, last).ok());
  EXPECT_EQ(last.counts().ok(), 20);
  EXPECT_LE(asked_b, 3) << "two, unless some connections were quick enough to ask twice";
  EXPECT_GE(asked_b, 1);
}

TEST(PlainLoad, NoEndAndNoRequestsAreRefused) {
  LoadRequest request = request_to("127.0.0.1:1");
  LoadResponse last;
  request.set_duration_s(0);
  EXPECT_THAT(load(request, last).message(), HasSubstr("must be above 0"));
  request.set_requests(0);
  EXPECT_THAT(load(request, last).message(), HasSubstr("1 or more"));
}

TEST(PlainLoad, MissingConnectionsAreInTheResult) {
  std::string host;
  {
    load::ScriptedServer gone(load::always("x"));
    host = gone.host();
  }
  LoadResponse last;
  ASSERT_TRUE(load(request_to(host), last).ok());
  EXPECT_TRUE(last.final());
  EXPECT_EQ(last.connections(), 0U);
  EXPECT_EQ(last.effective().connections(), 4U);
  EXPECT_THAT(last.open_error(), HasSubstr("only 0 of 4"));
  EXPECT_EQ(last.counts().started(), 0);
}

TEST(PlainLoad, AStopThatCameFirstLeavesNothingToSend) {
  load::ScriptedServer server(load::always(load::reply("x")));
  LoadRequest request = request_to(server.host());
  request.set_duration_s(600);
  Cancellation cancellation;
  Cancellation stop;
  stop.raise();
  LoadResponse last;
  ASSERT_TRUE(plain_load(request, cancellation, stop, [&last](const LoadResponse& line) {
                last = line;
                return true;
              }).ok());
  EXPECT_TRUE(last.final());
  EXPECT_TRUE(last.stopped());
  EXPECT_EQ(last.counts().started(), 0);
}

TEST(PlainLoad, ANameIsLookedUpAndItsAddressTold) {
  load::ScriptedServer server(load::always(load::reply("x")));
  const std::string port = server.host().substr(server.host().rfind(':'));
  LoadResponse last;
  ASSERT_TRUE(load(request_to("localhost" + port), last).ok());
  EXPECT_EQ(last.address(), server.host());
  EXPECT_GT(last.counts().ok(), 0);
  EXPECT_THAT(load(request_to("no-such-host.invalid:80"), last).message(),
              HasSubstr("no-such-host.invalid"));
}

TEST(PlainLoad, RatesAndBurstsOutOfRangeAreNamed) {
  OpenLoop open;
  for (const double rate : {0.0, -1.0, std::nan(""), 1e9}) {
    open.set_rate_per_s(rate);
    EXPECT_THAT(effective_open_loop(open).status().message(), HasSubstr("rate")) << rate;
  }
  open.set_rate_per_s(0.25);
  EXPECT_EQ(effective_open_loop(open)->most_waiting(), 3U);
  EXPECT_FALSE(effective_open_loop(open)->has_seed()) << "nothing is drawn";
  open.set_most_waiting(0);
  EXPECT_EQ(effective_open_loop(open)->most_waiting(), 0U);
  open.set_arrivals(OpenLoop::BURST);
  EXPECT_THAT(effective_open_loop(open).status().message(), HasSubstr("burst 0"));
}

TEST(PlainLoad, RecordedArrivalsAreALogs) {
  OpenLoop open;
  open.set_arrivals(OpenLoop::RECORDED);
  EXPECT_THAT(effective_open_loop(open).status().message(), HasSubstr("replay one"));
  std::istringstream text(
      "::1 - - [10/Oct/2000:13:00:00 +0000] \"GET /a HTTP/1.1\" 200 5\n"
      "::1 - - [10/Oct/2000:13:00:03 +0000] \"GET /b HTTP/1.1\" 200 5\n");
  std::string error;
  const auto log = load::ReplayLog::read(text, {}, error);
  ASSERT_TRUE(log) << error;
  open.set_speed(2);
  const auto effective = effective_open_loop(open, log.get());
  ASSERT_TRUE(effective.ok()) << effective.status();
  EXPECT_DOUBLE_EQ(effective->rate_per_s(), 1) << "two requests in half of four seconds";
  EXPECT_EQ(open_loop_ns(*effective, log.get(), 0), 2'000'000'000);
  EXPECT_EQ(open_loop_ns(*effective, log.get(), 500'000'000), 500'000'000);
  EXPECT_EQ(open_loop_ns(*effective, log.get(), 5'000'000'000), 2'000'000'000);
  open.set_speed(0);
  EXPECT_THAT(effective_open_loop(open, log.get()).status().message(), HasSubstr("speed 0"));
  open.set_arrivals(OpenLoop::CONSTANT);
  open.set_rate_per_s(1);
  EXPECT_THAT(effective_open_loop(open, log.get()).status().message(), HasSubstr("recorded"));
}

}  // namespace
}  // namespace hotlap::agent
