// The scanner's verdict is the same at every split, and comes at the byte that earns it.
#include "server/http/scanner.h"

#include <gtest/gtest.h>

#include <string>

namespace hotlap::server {
namespace {

struct Outcome {
  HeadScanner::State state;
  HttpStatus status;
  std::size_t taken;

  bool operator==(const Outcome&) const = default;
};

Outcome scan_in_pieces(const std::string& text, std::size_t piece, HeadLimits limits = {}) {
  HeadScanner scanner(limits);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto state = scanner.scan(std::string_view(text).substr(at, piece));
    if (state == HeadScanner::State::kRefused) return {state, scanner.status(), 0};
    if (state == HeadScanner::State::kComplete) return {state, kAccepted, scanner.taken()};
  }
  return {HeadScanner::State::kMore, scanner.status(), scanner.taken()};
}

// The outcome whole, after asserting that every split agrees on state and status.
Outcome scan_all_ways(const std::string& text, HeadLimits limits = {}) {
  const Outcome whole = scan_in_pieces(text, text.size(), limits);
  for (std::size_t piece = 1; piece <= 40; ++piece) {
    const Outcome split = scan_in_pieces(text, piece, limits);
    EXPECT_EQ(split, whole) << "in pieces of " << piece << " of " << text.substr(0, 60);
  }
  return whole;
}

const std::string kHead = "GET /hello HTTP/1.1\r\nHost: example.org\r\n\r\n";

TEST(HeadScanner, FindsTheEndAndLeavesWhatFollows) {
  const Outcome outcome = scan_all_ways(kHead + "GET /next");
  EXPECT_EQ(outcome.state, HeadScanner::State::kComplete);
  EXPECT_EQ(outcome.taken, kHead.size());
}

TEST(HeadScanner, KnowsWhereTheRequestLineEnds) {
  HeadScanner scanner(HeadLimits{});
  EXPECT_EQ(scanner.scan("\r\n" + kHead), HeadScanner::State::kComplete);
  EXPECT_EQ(scanner.head_offset(), 2u);
  EXPECT_EQ(scanner.line_length(), std::string("GET /hello HTTP/1.1").size());
}

TEST(HeadScanner, DoesNotCountASkippedEmptyLineTowardsTheLimit) {
  const HeadLimits exact{.head_bytes = kHead.size()};
  EXPECT_EQ(scan_all_ways(kHead, exact).state, HeadScanner::State::kComplete);
  EXPECT_EQ(scan_all_ways("\r\n" + kHead, exact).state, HeadScanner::State::kComplete);
  const HeadLimits short_by_one{.head_bytes = kHead.size() - 1};
  EXPECT_EQ(scan_all_ways(kHead, short_by_one).status, 431);
  EXPECT_EQ(scan_all_ways("\r\n" + kHead, short_by_one).status, 431);
}

TEST(HeadScanner, RefusesLoneLineBytesAtOnce) {
  EXPECT_EQ(scan_all_ways("GET /hello HTTP/1.1\n").status, 400);
  EXPECT_EQ(scan_all_ways("GET /hello HTTP/1.1\rX").status, 400);
  EXPECT_EQ(scan_all_ways("GET /hello HTTP/1.1\r\nA: b\r\r\n").status, 400);
  EXPECT_EQ(scan_all_ways("\n" + kHead).status, 400);
}

TEST(HeadScanner, SkipsOneEmptyLineAndRefusesTwo) {
  EXPECT_EQ(scan_all_ways("\r\n" + kHead).state, HeadScanner::State::kComplete);
  EXPECT_EQ(scan_all_ways("\r\n\r\n" + kHead).status, 400);
}

TEST(HeadScanner, LimitsTheTargetBeforeItsLineEnds) {
  const std::string fits = "GET /" + std::string(8191, 'a');
  EXPECT_EQ(scan_all_ways(fits + " HTTP/1.1\r\n\r\n").state, HeadScanner::State::kComplete);
  EXPECT_EQ(scan_all_ways(fits + "a").status, 414);
  // A method is no target.
  EXPECT_EQ(scan_all_ways(std::string(9000, 'A')).state, HeadScanner::State::kMore);
}

TEST(HeadScanner, LimitsHeadersAndBytes) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "a: b\r\n";
  EXPECT_EQ(scan_all_ways("GET / HTTP/1.1\r\n" + lines + "\r\n").state,
            HeadScanner::State::kComplete);
  EXPECT_EQ(scan_all_ways("GET / HTTP/1.1\r\n" + lines + "a: b\r\n\r\n").status, 431);

  HeadLimits limits;
  limits.head_bytes = kHead.size();
  EXPECT_EQ(scan_all_ways(kHead, limits).state, HeadScanner::State::kComplete);
  limits.head_bytes = kHead.size() - 1;
  EXPECT_EQ(scan_all_ways(kHead, limits).status, 431);
}

TEST(HeadScanner, StartsAnewAfterReset) {
  HeadScanner scanner(HeadLimits{});
  EXPECT_EQ(scanner.scan("bad\n"), HeadScanner::State::kRefused);
  scanner.reset();
  EXPECT_FALSE(scanner.started());
  EXPECT_EQ(scanner.scan(kHead), HeadScanner::State::kComplete);
}

}  // namespace
}  // namespace hotlap::server
