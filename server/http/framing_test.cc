// The rules of HTTP.md, clauses 1, 4, 5, 13 and 14, on single fields and on whole heads.
#include "server/http/framing.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace hotlap::server {
namespace {

using Fields = std::initializer_list<std::pair<const char*, const char*>>;

// The framing of a head of these fields; a Host is added unless they have one or `host` is false.
Framing judge(const Fields& fields, int minor = 1, bool host = true) {
  FramingFields taken;
  if (host) take_framing_field("host", "a", taken);
  for (const auto& [name, value] : fields) {
    if (const HttpStatus status = take_framing_field(name, value, taken); status != kAccepted) {
      Framing refused;
      refused.status = status;
      return refused;
    }
  }
  return judge_framing(taken, minor);
}

TEST(Framing, HostIsNeededOnceAndValid) {
  EXPECT_EQ(judge({}, 1, false).status, 400);
  EXPECT_EQ(judge({}, 0, false).status, kAccepted);
  EXPECT_EQ(judge({{"host", "b"}}).status, 400);
  for (const char* valid : {"", "a", "a.b:80", "a:", "127.0.0.1:1", "[::1]", "[::1]:80", "%41"}) {
    EXPECT_TRUE(valid_host(valid)) << valid;
  }
  for (const char* invalid : {"a b", "a/b", "a:b", "[::1", "[]", "[::1]x", "a@b", "a:1:2", ":80",
                              "%4", "a\x80", "[12]", "a,b c"}) {
    EXPECT_FALSE(valid_host(invalid)) << invalid;
  }
}

TEST(Framing, ContentLengthIsDigitsOnce) {
  EXPECT_EQ(judge({{"content-length", "010"}}).content_length, 10u);
  EXPECT_EQ(judge({{"content-length", "18446744073709551615"}}).content_length, UINT64_MAX);
  for (const char* bad : {"+5", "-1", "0x5", "5 5", "1_0", "5abc", "", "18446744073709551616",
                          "5,5", "99999999999999999999999"}) {
    EXPECT_EQ(judge({{"content-length", bad}}).status, 400) << bad;
  }
  EXPECT_EQ(judge({{"content-length", "5"}, {"content-length", "5"}}).status, 400);
}

TEST(Framing, TransferEncodingIsJudgedJoinedAndInOrder) {
  EXPECT_TRUE(judge({{"transfer-encoding", "Chunked"}}).chunked);
  EXPECT_TRUE(judge({{"transfer-encoding", ", chunked ,"}}).chunked);
  EXPECT_EQ(judge({{"transfer-encoding", "chunked"}}, 0).status, 400);
  EXPECT_EQ(judge({{"transfer-encoding", "chunked"}, {"content-length", "5"}}).status, 400);
  EXPECT_EQ(judge({{"content-length", "0"}, {"transfer-encoding", "chunked"}}).status, 400);
  for (const char* bad :
       {"gzip", "chunked, gzip", "chunked, chunked", "", "chunked;a=b", "gzip, chunked, chunked"}) {
    EXPECT_EQ(judge({{"transfer-encoding", bad}}).status, 400) << bad;
  }
  EXPECT_EQ(judge({{"transfer-encoding", "gzip, chunked"}}).status, 501);
  EXPECT_EQ(judge({{"transfer-encoding", "gzip"}, {"transfer-encoding", "chunked"}}).status, 501);
  EXPECT_EQ(judge({{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}}).status,
            400);
}

TEST(Framing, CloseWinsAndOldVersionsAskToStay) {
  EXPECT_TRUE(judge({}).keep_alive);
  EXPECT_FALSE(judge({{"connection", "foo, Close"}}).keep_alive);
  EXPECT_FALSE(judge({{"connection", "keep-alive"}, {"connection", "close"}}).keep_alive);
  EXPECT_FALSE(judge({}, 0).keep_alive);
  EXPECT_TRUE(judge({{"connection", "Keep-Alive"}}, 0).echo_keep_alive);
  EXPECT_FALSE(judge({{"connection", "keep-alive"}}, 1).echo_keep_alive);
  EXPECT_FALSE(judge({{"connection", "closed"}}, 0).keep_alive);
}

TEST(Framing, ExpectationsAreMetOrRefused) {
  EXPECT_TRUE(judge({{"expect", "100-Continue"}, {"content-length", "5"}}).expect_continue);
  EXPECT_FALSE(judge({{"expect", "100-continue"}}).expect_continue);
  EXPECT_EQ(judge({{"expect", "coffee"}}).status, 417);
  EXPECT_EQ(judge({{"expect", "100-continue, coffee"}}).status, 417);
  EXPECT_EQ(judge({{"expect", "coffee"}}, 0).status, kAccepted);
  EXPECT_FALSE(judge({{"expect", "100-continue"}, {"content-length", "5"}}, 0).expect_continue);
}

}  // namespace
}  // namespace hotlap::server
