// A line too long for the stage gets the verdict that a variant would give it.
#include "server/http/long_line.h"

#include <gtest/gtest.h>

#include <string>

namespace hotlap::server {
namespace {

const std::string kLong(9000, 'M');

TEST(LongLine, IsAnUnknownMethodWhereAllElseIsRight) {
  EXPECT_EQ(refusal_of_long_line(kLong + " /hello HTTP/1.1"), 501);
  EXPECT_EQ(refusal_of_long_line(kLong + " * HTTP/1.0"), 501);
}

TEST(LongLine, HasTheMajorVersionBeforeTheMethod) {
  EXPECT_EQ(refusal_of_long_line(kLong + " /hello HTTP/2.0"), 505);
}

TEST(LongLine, IsBadInEveryOtherShape) {
  for (const std::string& line :
       {kLong, kLong + " ", kLong + " /hello", kLong + "  HTTP/1.1", " " + kLong + " HTTP/1.1",
        kLong + " /a b HTTP/1.1", kLong + "\x80 / HTTP/1.1", kLong + " hello HTTP/1.1",
        "GET / " + kLong, "GET / HTTP/1.1" + kLong, kLong + " / HTTP/1.1 "}) {
    EXPECT_EQ(refusal_of_long_line(line), 400) << line.substr(0, 20);
  }
}

TEST(LongLine, IsTooLongATargetWhereTheLimitsAllowSuchTargets) {
  EXPECT_EQ(refusal_of_long_line("GET /" + kLong + " HTTP/1.1"), 414);
}

}  // namespace
}  // namespace hotlap::server
