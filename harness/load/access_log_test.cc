// Lines of access logs, as servers write them and as they should never be.
#include "harness/load/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

constexpr char kTime[] = "[10/Oct/2000:13:55:36 -0700]";

std::string line(const std::string& request, const std::string& rest = " 200 2326") {
  return std::string("127.0.0.1 - frank ") + kTime + " \"" + request + "\"" + rest;
}

LoggedRequest parsed(const std::string& text) {
  LoggedRequest request;
  std::string_view fault;
  EXPECT_EQ(parse_log_line(text, request, fault), LineKind::kRequest) << text << ": " << fault;
  return request;
}

LineKind kind(const std::string& text) {
  LoggedRequest request;
  std::string_view fault;
  return parse_log_line(text, request, fault);
}

std::string fault_of(const std::string& text) {
  LoggedRequest request;
  std::string_view fault;
  EXPECT_EQ(parse_log_line(text, request, fault), LineKind::kBad) << text;
  return std::string(fault);
}

TEST(AccessLog, ReadsTheCommonFormat) {
  const LoggedRequest request = parsed(line("GET /apache_pb.gif HTTP/1.0"));
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/apache_pb.gif");
  EXPECT_EQ(request.status, 200);
  EXPECT_EQ(request.unix_s, 971211336);  // date -d '2000-10-10T13:55:36-0700' +%s
}

TEST(AccessLog, ReadsWhatStandsAroundIt) {
  const std::string get = "GET /x HTTP/1.1";
  EXPECT_EQ(parsed(line(get, R"( 404 - "http://a/?q=\"b\"" "Mozilla \"5\"")")).status, 404);
  EXPECT_EQ(parsed(line(get, R"( 200 12 "-" "curl" 0.003 "-" host=a)")).target, "/x");
  EXPECT_EQ(parsed("www.example.org:443 " + line(get)).target, "/x");
  EXPECT_EQ(
      parsed(std::string("::1 - a user [x] \"y\" ") + kTime + " \"GET /x HTTP/2.0\" 200 5").target,
      "/x");
  EXPECT_EQ(parsed(line(get, " - -")).status, 0);
}

TEST(AccessLog, UndoesEscapes) {
  EXPECT_EQ(parsed(line(R"(GET /a\"b\\c HTTP/1.1)")).target, "/a\"b\\c");
  EXPECT_EQ(parsed(line(R"(GET /a\x22b\x5Cc HTTP/1.1)")).target, "/a\"b\\c");
  EXPECT_EQ(parsed(line(R"(GET /\xe2\x82\xac HTTP/1.1)")).target, "/\xe2\x82\xac");
  EXPECT_EQ(parsed(line(R"(GET /\q\x4 HTTP/1.1)")).target, R"(/\q\x4)");
}

TEST(AccessLog, TellsWhatIsNoRequest) {
  for (const char* request : {"-", "", R"(\x16\x03\x01\x02)", "GET /x", "GET  HTTP/1.1", "GET /x y",
                              R"(GET /a\nb HTTP/1.1)", R"(GET /\x00 HTTP/1.1)", "GET /a b HTTP/1.1",
                              "G\xffT /x HTTP/1.1", "SSH-2.0-Go"}) {
    EXPECT_EQ(kind(line(request, " 400 0")), LineKind::kNoRequest) << request;
  }
}

TEST(AccessLog, TellsWhyALineIsBad) {
  EXPECT_THAT(fault_of(""), HasSubstr("no time"));
  EXPECT_THAT(fault_of("127.0.0.1 - - [yesterday] \"GET / HTTP/1.1\" 200 5"), HasSubstr("no time"));
  EXPECT_THAT(fault_of(std::string("h - - ") + kTime), HasSubstr("no request in quotes"));
  EXPECT_THAT(fault_of(std::string("h - - ") + kTime + " \"GET / HTTP/1.1"),
              HasSubstr("no request in quotes"));
  EXPECT_THAT(fault_of(line("GET / HTTP/1.1", "")), HasSubstr("no status"));
  for (const char* rest :
       {" ", " OK 5", " 20 5", " 2000 5", " 099 5", " -1 5", " 11111111121111 5"}) {
    EXPECT_THAT(fault_of(line("GET / HTTP/1.1", rest)), HasSubstr("a status that")) << rest;
  }
  for (const char* rest : {" 200", " 200 ", " 200 x", " 200 5x", " 200  5"}) {
    EXPECT_THAT(fault_of(line("GET / HTTP/1.1", rest)), HasSubstr("a size that")) << rest;
  }
}

TEST(AccessLog, KnowsTimesInEveryZone) {
  std::int64_t unix_s = 0;
  ASSERT_TRUE(parse_log_time("01/Jan/1970:00:00:00 +0000", unix_s));
  EXPECT_EQ(unix_s, 0);
  ASSERT_TRUE(parse_log_time("29/Feb/2024:23:59:60 +0530", unix_s));
  EXPECT_EQ(unix_s, 1709231400);  // date -d '2024-02-29T18:30:00Z' +%s
  for (const char* text :
       {"", "00/Jan/1970:00:00:00 +0000", "32/Jan/1970:00:00:00 +0000",
        "01/Foo/1970:00:00:00 +0000", "01/Jan/1970:24:00:00 +0000", "01/Jan/1970:00:60:00 +0000",
        "01/Jan/1970:00:00:61 +0000", "01/Jan/1970:00:00:00 00000", "01/Jan/1970 00:00:00 +0000",
        "01/Jan/19x0:00:00:00 +0000", "01/Jan/1970:00:00:00 +0060"}) {
    EXPECT_FALSE(parse_log_time(text, unix_s)) << text;
  }
}

}  // namespace
}  // namespace hotlap::load
