#include "server/conformance/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::conformance {
namespace {

using testing::HasSubstr;

constexpr const char* kDate = "Date: Mon, 30 Nov 2026 10:01:24 GMT\r\n";

std::string pong(const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\n" + kDate +
         "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\npong";
}

Case ping(Afterwards afterwards) {
  Case one;
  one.bytes = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";
  one.replies.resize(1);
  one.replies[0].status = 200;
  one.replies[0].checks_body = true;
  one.replies[0].body = "pong";
  one.afterwards = afterwards;
  return one;
}

Outcome closed(const std::string& received) {
  Outcome outcome;
  outcome.received = received;
  outcome.closed = true;
  return outcome;
}

TEST(CheckOutcome, KeptMeansThatTheProbeWasServed) {
  EXPECT_EQ(check_outcome(ping(Afterwards::keep), closed(pong() + pong())), "");
  EXPECT_THAT(check_outcome(ping(Afterwards::keep), closed(pong())), HasSubstr("to be kept"));
  EXPECT_THAT(check_outcome(ping(Afterwards::keep), closed(pong() + pong("400 Bad"))),
              HasSubstr("400"));
}

TEST(CheckOutcome, ClosedMeansThatNothingFollows) {
  EXPECT_EQ(check_outcome(ping(Afterwards::close), closed(pong())), "");
  EXPECT_THAT(check_outcome(ping(Afterwards::close), closed(pong() + pong())),
              HasSubstr("to be closed"));
  EXPECT_EQ(check_outcome(ping(Afterwards::either), closed(pong())), "");
  EXPECT_EQ(check_outcome(ping(Afterwards::either), closed(pong() + pong())), "");
}

TEST(CheckOutcome, NamesEachFault) {
  Case one = ping(Afterwards::close);
  EXPECT_THAT(check_outcome(one, closed("")), HasSubstr("0 of 1"));
  EXPECT_THAT(check_outcome(one, closed(pong("500 Oops"))), HasSubstr("500"));
  EXPECT_THAT(check_outcome(one, closed("HTTP/1.1 200 OK\r\nServer: x\r\n\r\n")),
              HasSubstr("'Server'"));
  EXPECT_THAT(check_outcome(one, closed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
              HasSubstr("Date"));
  Outcome reset = closed(pong());
  reset.closed = false;
  reset.reset = true;
  EXPECT_THAT(check_outcome(one, reset), HasSubstr("reset"));
  one.replies[0].body = "ping";
  EXPECT_THAT(check_outcome(one, closed(pong())), HasSubstr("differs at byte 1"));
  one.replies[0].checks_body = false;
  one.replies[0].fields = {{"Allow", "GET"}};
  EXPECT_THAT(check_outcome(one, closed(pong())), HasSubstr("Allow"));
}

TEST(Comparable, DiffersOnlyWhereItShould) {
  Case one = ping(Afterwards::close);
  std::string later = pong();
  later.replace(later.find("10:01"), 5, "11:59");
  EXPECT_EQ(comparable(one, closed(pong())), comparable(one, closed(later)));
  EXPECT_NE(comparable(one, closed(pong())), comparable(one, closed(pong("200 Fine"))));
  Outcome open = closed(pong());
  open.closed = false;
  EXPECT_NE(comparable(one, closed(pong())), comparable(one, open));
}

}  // namespace
}  // namespace hotlap::conformance
