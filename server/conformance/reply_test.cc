#include "server/conformance/reply.h"

#include <gtest/gtest.h>

namespace hotlap::conformance {
namespace {

TEST(CutReplies, ContentLengthAndPipelining) {
  auto cut = cut_replies(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n",
      {}, false);
  ASSERT_EQ(cut.replies.size(), 2u);
  EXPECT_EQ(cut.replies[0].body, "hi");
  EXPECT_EQ(cut.replies[1].status, 404);
  EXPECT_EQ(cut.error, "");
}

TEST(CutReplies, NoBodyAfterHeadInterimAnd204) {
  auto cut = cut_replies(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
      "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
      {false, true}, false);
  ASSERT_EQ(cut.replies.size(), 4u);
  EXPECT_EQ(cut.replies[1].body, "");
  EXPECT_EQ(cut.replies[3].body, "x");
}

TEST(CutReplies, EveryPrefixOfAChunkedReplyIsIncomplete) {
  std::string wire =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nT: 1\r\n\r\n";
  for (size_t length = 0; length < wire.size(); ++length) {
    auto cut = cut_replies(std::string_view(wire).substr(0, length), {}, false);
    EXPECT_TRUE(cut.replies.empty() && cut.error.empty()) << length;
  }
  auto cut = cut_replies(wire, {}, false);
  ASSERT_EQ(cut.replies.size(), 1u);
  EXPECT_EQ(cut.replies[0].body, "hello");
  EXPECT_EQ(cut.consumed, wire.size());
}

TEST(CutReplies, BodyUntilClose) {
  std::string wire = "HTTP/1.0 200 OK\r\n\r\nrest";
  EXPECT_TRUE(cut_replies(wire, {}, false).replies.empty());
  auto cut = cut_replies(wire, {}, true);
  ASSERT_EQ(cut.replies.size(), 1u);
  EXPECT_EQ(cut.replies[0].body, "rest");
}

TEST(CutReplies, SaysWhatIsNoReply) {
  EXPECT_NE(cut_replies("SSH-2.0-x", {}, false).error, "");
  EXPECT_NE(cut_replies("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", {}, false).error, "");
  EXPECT_EQ(cut_replies("HTT", {}, false).error, "");
}

TEST(MaskReply, HidesDateAndAddresses) {
  auto masked = [](const char* date, const char* peer) {
    std::string body = std::string("peer ") + peer + "\nlocal 127.0.0.1:80\n";
    std::string wire = std::string("HTTP/1.1 200 OK\r\nDate: ") + date +
                       "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    return mask_reply(cut_replies(wire, {}, false).replies.at(0));
  };
  std::string one = masked("Mon, 30 Nov 2026 10:01:24 GMT", "127.0.0.1:5");
  EXPECT_EQ(one, masked("Tue, 01 Dec 2026 00:00:00 GMT", "127.0.0.1:54321"));
  EXPECT_EQ(one.find("127"), std::string::npos);
  EXPECT_NE(one, masked("Mon, 30 Nov 2026 10:01:24 UTC+", "127.0.0.1:5"));
}

}  // namespace
}  // namespace hotlap::conformance
