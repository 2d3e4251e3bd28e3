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
  EXPECT_FALSE(valid_target_form(Method::kGet, "hello"));
  EXPECT_FALSE(valid_target_form(Method::kGet, "1a:b"));
  EXPECT_FALSE(valid_target_form(Method::kGet, "a/b:c"));
  EXPECT_FALSE(valid_target_form(Method::kGet, "*"));
  EXPECT_TRUE(valid_target_form(Method::kOptions, "*"));
  EXPECT_TRUE(valid_target_form(Method::kConnect, "127.0.0.1:80"));
}

}  // namespace
}  // namespace hotlap::server
