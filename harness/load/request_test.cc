// Addresses, URLs and the bytes of requests.
#include "harness/load/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/un.h>

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

Endpoint endpoint(const char* text) {
  std::string error;
  const std::optional<Endpoint> parsed = Endpoint::parse(text, error);
  EXPECT_TRUE(parsed) << error;
  return parsed.value_or(Endpoint{});
}

TEST(Endpoint, ParsesBothFamiliesAndUnixSockets) {
  EXPECT_EQ(endpoint("127.0.0.1:8080").family(), AF_INET);
  EXPECT_EQ(endpoint("127.0.0.1:8080").host(), "127.0.0.1:8080");
  EXPECT_EQ(endpoint("localhost:1").host(), "127.0.0.1:1");
  EXPECT_EQ(endpoint("[::1]:65535").family(), AF_INET6);
  EXPECT_EQ(endpoint("[::1]:65535").host(), "[::1]:65535");
  EXPECT_EQ(endpoint("unix:/tmp/x").family(), AF_UNIX);
  EXPECT_EQ(endpoint("unix:/tmp/x").host(), "localhost");
  EXPECT_EQ(endpoint("unix:/tmp/x").text(), "unix:/tmp/x");
}

TEST(Endpoint, RefusesWithAReason) {
  for (const char* text : {"",
                           ":",
                           "127.0.0.1",
                           "127.0.0.1:",
                           "127.0.0.1:0",
                           "127.0.0.1:65536",
                           "127.0.0.1:80x",
                           "127.0.0.1:-1",
                           "127.0.0.1:+1",
                           "1.2.3:80",
                           "::1:80",
                           "[::1]",
                           "[::1]80",
                           "[::1:80",
                           "[127.0.0.1]:80",
                           "example.org:80",
                           "[]:80",
                           "unix:",
                           "[",
                           "]",
                           "]:"}) {
    std::string error;
    EXPECT_FALSE(Endpoint::parse(text, error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
  std::string error;
  EXPECT_FALSE(Endpoint::parse("unix:/" + std::string(200, 'x'), error));
  EXPECT_THAT(error, HasSubstr("107"));
}

std::string wire(const RequestSpec& spec, const char* to = "127.0.0.1:80", bool keep_alive = true) {
  std::string error;
  const std::optional<Request> request = build_request(spec, endpoint(to), keep_alive, error);
  EXPECT_TRUE(request) << error;
  return request ? request->wire : "";
}

TEST(Request, AddsHostLengthAndClose) {
  RequestSpec spec;
  spec.target = "/hello";
  EXPECT_EQ(wire(spec), "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n");
  EXPECT_EQ(wire(spec, "127.0.0.1:80", false),
            "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:80\r\nConnection: close\r\n\r\n");
  spec.method = "POST";
  EXPECT_THAT(wire(spec), HasSubstr("Content-Length: 0\r\n"));
  spec.body = "abc";
  EXPECT_EQ(wire(spec),
            "POST /hello HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 3\r\n\r\nabc");
}

TEST(Request, KeepsWhatIsGiven) {
  RequestSpec spec;
  spec.headers = {{"HOST", "h"}, {"connection", "keep-alive"}};
  EXPECT_EQ(wire(spec, "127.0.0.1:80", false),
            "GET / HTTP/1.1\r\nHOST: h\r\nconnection: keep-alive\r\n\r\n");
  spec.headers = {{"Transfer-Encoding", "chunked"}};
  spec.body = "0\r\n\r\n";
  EXPECT_EQ(wire(spec),
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\nTransfer-Encoding: chunked\r\n"
            "\r\n0\r\n\r\n");
}

// nghttp2#2090: Host without brackets.
TEST(Request, PutsBracketsAroundAnIpv6Host) {
  EXPECT_THAT(wire({}, "[::1]:8080"), HasSubstr("\r\nHost: [::1]:8080\r\n"));
}

TEST(Request, RefusesWhatWouldBreakTheFraming) {
  const auto refused = [](const RequestSpec& spec) {
    std::string error;
    const bool built = build_request(spec, endpoint("127.0.0.1:80"), true, error).has_value();
    EXPECT_EQ(built, error.empty());
    return !built;
  };
  RequestSpec spec;
  EXPECT_FALSE(refused(spec));
  for (const char* method : {"", "G T", "GET\r\n", "CONNECT"}) {
    spec = {};
    spec.method = method;
    EXPECT_TRUE(refused(spec)) << method;
  }
  for (const char* target : {"", "/a b", "/a\r\nX: y", "/\x7f"}) {
    spec = {};
    spec.target = target;
    EXPECT_TRUE(refused(spec)) << target;
  }
  for (const auto& header : std::vector<std::pair<std::string, std::string>>{
           {"", "x"}, {"a b", "x"}, {"a", "x\r\ny: z"}, {"a", "x\n"}, {"Upgrade", "h2c"}}) {
    spec = {};
    spec.headers = {header};
    EXPECT_TRUE(refused(spec)) << header.first;
  }
  spec = {};
  spec.expected_status = 100;
  EXPECT_TRUE(refused(spec));
}

}  // namespace
}  // namespace hotlap::load
