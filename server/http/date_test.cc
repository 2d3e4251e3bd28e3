// Dates against the C library, over leap years and centuries.
#include "server/http/date.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace hotlap::server {
namespace {

std::string format(std::int64_t unix_s) {
  std::string text(29, '?');
  format_http_date(unix_s, text.data());
  return text;
}

TEST(HttpDate, KnowsTheExampleOfTheStandard) {
  EXPECT_EQ(format(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(format(951782399), "Mon, 28 Feb 2000 23:59:59 GMT");
  EXPECT_EQ(format(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
}

TEST(HttpDate, AgreesWithTheCLibrary) {
  constexpr std::int64_t kStepS = 86'399 * 7;  // a prime-ish stride: every hour, day and month
  for (std::int64_t unix_s = 0; unix_s < 8'000'000'000; unix_s += kStepS) {
    const std::time_t time = unix_s;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char expected[64];
    std::strftime(expected, sizeof(expected), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    ASSERT_EQ(format(unix_s), expected);
  }
}

}  // namespace
}  // namespace hotlap::server
