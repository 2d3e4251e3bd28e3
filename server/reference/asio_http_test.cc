#include "server/reference/asio_http.h"

#include <gtest/gtest.h>

namespace hotlap::reference {
namespace {

int status_of(std::string_view head) {
  Request request;
  return parse_head(head, request);
}

TEST(ParseHead, TakesAPlainRequest) {
  Request request;
  ASSERT_EQ(parse_head("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 010\r\n\r\n", request),
            0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/echo");
  EXPECT_EQ(request.framing, Framing::length);
  EXPECT_EQ(request.content_length, 10u);
  EXPECT_TRUE(request.keep_alive);
}

TEST(ParseHead, RefusesBadFraming) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 0);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
            501);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"), 400);
}

TEST(ChunkedBody, EverySplitGivesTheSameBody) {
  std::string_view wire = "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
  for (size_t split = 0; split <= wire.size(); ++split) {
    ChunkedBody chunks;
    std::string body;
    std::string_view first = wire.substr(0, split), second = wire.substr(split);
    auto state = chunks.feed(first, body);
    if (split < wire.size()) state = chunks.feed(second, body);
    EXPECT_EQ(state, ChunkedBody::State::done) << split;
    EXPECT_EQ(body, "hello world");
  }
}

TEST(ChunkedBody, RefusesBadSizes) {
  for (std::string_view wire : {"\r\n", "+5\r\n", "0x5\r\n", "5 \r\n", "5\nhello", "5\r\nhelloX"}) {
    ChunkedBody chunks;
    std::string body;
    EXPECT_EQ(chunks.feed(wire, body), ChunkedBody::State::bad) << wire;
  }
}

TEST(Answer, HeadHasTheHeaderOfGet) {
  Request request;
  request.method = "HEAD";
  request.target = "/hello";
  HttpDate date;
  std::string out;
  EXPECT_TRUE(answer(request, "", {}, date, out));
  EXPECT_NE(out.find("Content-Length: 13\r\n\r\n"), std::string::npos);
  EXPECT_EQ(out.find("Hello"), std::string::npos);
}

}  // namespace
}  // namespace hotlap::reference
