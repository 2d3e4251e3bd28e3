// URLs: what a load takes from them, and those that it refuses.
#include "harness/load/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

TEST(Url, HasItsParts) {
  const auto check = [](const char* text, const char* place, const char* target) {
    std::string error;
    const std::optional<Url> url = parse_url(text, error);
    ASSERT_TRUE(url) << text << ": " << error;
    EXPECT_EQ(url->place, place);
    EXPECT_EQ(url->target, target);
    EXPECT_EQ(url->tls, std::string_view(text).starts_with("https")) << text;
  };
  check("http://127.0.0.1:8080/hello?x=1", "127.0.0.1:8080", "/hello?x=1");
  check("http://127.0.0.1:8080", "127.0.0.1:8080", "/");
  check("http://127.0.0.1", "127.0.0.1:80", "/");
  check("http://127.0.0.1?q", "127.0.0.1:80", "/?q");
  check("http://[::1]:8080/", "[::1]:8080", "/");
  check("http://[::1]", "[::1]:80", "/");
  check("HTTP://localhost:99/a:b", "localhost:99", "/a:b");
  check("http://a_b-c.Example.test./", "a_b-c.Example.test.:80", "/");
  check("https://example.test", "example.test:443", "/");
  check("https://[::1]/x", "[::1]:443", "/x");
  check("https://example.test:8443/", "example.test:8443", "/");
}

TEST(Url, NamesTheHostAsItStands) {
  std::string error;
  const auto url = parse_url("https://[2001:db8::1]/", error);
  ASSERT_TRUE(url) << error;
  EXPECT_EQ(url->host, "2001:db8::1");
  EXPECT_EQ(url->authority, "[2001:db8::1]");
  EXPECT_EQ(parse_url("http://Name.test:80/", error)->authority, "Name.test:80");
}

TEST(Url, RefusesWithAReason) {
  const auto check = [](const char* text, const char* why) {
    std::string error;
    EXPECT_FALSE(parse_url(text, error)) << text;
    EXPECT_THAT(error, HasSubstr(why)) << text;
  };
  check("", "must begin with http:// or https://");
  check("127.0.0.1:80", "must begin with http:// or https://");
  check("ftp://127.0.0.1/", "must begin with http:// or https://");
  check("http://", "names no host");
  check("http:///x", "names no host");
  check("http://:80/", "names no host");
  check("http://[::1/", "HOST:PORT");
  check("http://[::g]/", "not an IPv6 address");
  check("http://[127.0.0.1]/", "not an IPv6 address");
  check("http://::1/", "in brackets");
  check("http://127.0.0.1:x/", "port");
  check("http://127.0.0.1:/", "port");
  check("http://127.0.0.1:65536/", "port");
  check("http://127.0.0.1/#top", "fragment");
  check("http://user:word@127.0.0.1/", "user name");
  check("http://127.1/", "four numbers");
  check("http://1.2.3.999/", "four numbers");
  check(
      "http://b\xc3\xbc"
      "cher.test/",
      "ASCII");
  check("http://a b/", "not a host name");
}

}  // namespace
}  // namespace hotlap::load
