// Forms of targets, and what is path and what is query.
#include "server/http/target.h"

#include <gtest/gtest.h>

namespace hotlap::server {
namespace {

TEST(Target, SplitsPathAndQuery) {
  const auto expect = [](std::string_view target, std::string_view path, std::string_view query) {
    const TargetParts parts = split_target(target);
    EXPECT_EQ(parts.path, path) << target;
    EXPECT_EQ(parts.query, query) << target;
  };
  expect("/a", "/a", "");
  expect("/a?b=c?d", "/a", "b=c?d");
  expect("/?", "/", "");
  expect("http://h/a?b", "/a", "b");
  expect("http://h", "/", "");
  expect("http://h?q", "/", "q");
  expect("/x://y", "/x://y", "");
  expect("*", "*", "");
}

TEST(Target, KnowsItsForms) {
  EXPECT_TRUE(valid_target_form(Method::kGet, "/"));
  EXPECT_TRUE(valid_target_form(Method::kGet, "HTTP://a/"));
  EXPECT_TRUE(valid_target_form(Method::kGet, "a+b-c.1:x"));
  EXPECT_TRUE(valid_target_form(Method::kGet, "http://a:80?q"));
  EXPECT_TRUE(valid_target_form(Method::kGet, "https://[::1]/"));
  EXPECT_TRUE(valid_target_form(Method::kGet, "urn:a:b"));
  EXPECT_FALSE(valid_target_form(Method::kGet, "hello"));
  EXPECT_FALSE(valid_target_form(Method::kGet, "1a:b"));
  EXPECT_FALSE(valid_target_form(Method::kGet, "a/b:c"));
  EXPECT_FALSE(valid_target_form(Method::kGet, "*"));
  EXPECT_TRUE(valid_target_form(Method::kOptions, "*"));
  EXPECT_TRUE(valid_target_form(Method::kConnect, "127.0.0.1:80"));
}

// RFC 9110, 4.2.1 and 4.2.4.
TEST(Target, RefusesAnAuthorityWithoutHostOrWithUserInformation) {
  for (const std::string_view target :
       {"http:///hello", "HTTPS://", "http://?q", "http://:80/", "http:/hello", "http:hello",
        "http://user@a/", "http://user:word@a/", "http://a:b/", "http://[::1/"}) {
    EXPECT_FALSE(valid_target_form(Method::kGet, target)) << target;
  }
  EXPECT_TRUE(valid_target_form(Method::kGet, "http://a/user@b"));
}

}  // namespace
}  // namespace hotlap::server
