// Numbers at the edges of their units.
#include "harness/cli/time_text.h"

#include <gtest/gtest.h>

namespace hotlap::cli {
namespace {

TEST(TimeText, ChangesUnitAfterRounding) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(999.4), "999 ns");
  EXPECT_EQ(time_text(999.6), "1.00 us");
  EXPECT_EQ(time_text(999'994), "999.99 us");
  EXPECT_EQ(time_text(999'996), "1.00 ms");
  EXPECT_EQ(time_text(2.5e9), "2.500 s");
}

TEST(TimeText, CountsHaveSeparators) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
}

TEST(TimeText, RatesKeepThreeDigits) {
  EXPECT_EQ(rate_text(0.25), "0.250");
  EXPECT_EQ(rate_text(9.996), "10.0");
  EXPECT_EQ(rate_text(999.96), "1,000");
}

}  // namespace
}  // namespace hotlap::cli
