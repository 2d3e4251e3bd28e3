// Absent cells stay empty and text is quoted so that it reads back.
#include "harness/record/csv.h"

#include <gtest/gtest.h>

#include <limits>

namespace hotlap::record {
namespace {

TEST(CsvLine, JoinsCellsAndLeavesAbsentOnesEmpty) {
  CsvLine line;
  line.text("a").integer(int64_t{-3}).integer(std::optional<int64_t>()).real(0.1).empty();
  EXPECT_EQ(std::move(line).finish(), "a,-3,,0.1,\n");
}

TEST(CsvLine, AFirstEmptyCellStillCounts) {
  CsvLine line;
  line.empty().integer(int64_t{1});
  EXPECT_EQ(std::move(line).finish(), ",1\n");
}

TEST(CsvLine, QuotesWhatWouldBreakARow) {
  CsvLine line;
  line.text("x,y").text("say \"hi\"").text("two\nlines");
  EXPECT_EQ(std::move(line).finish(), "\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

TEST(CsvLine, NotANumberIsAbsent) {
  CsvLine line;
  line.real(std::numeric_limits<double>::quiet_NaN()).real(std::nullopt).real(1.0);
  EXPECT_EQ(std::move(line).finish(), ",,1\n");
}

}  // namespace
}  // namespace hotlap::record
