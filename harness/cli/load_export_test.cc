// The files that other tools read, against what those tools expect.
#include "harness/cli/load_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <sstream>

namespace hotlap::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

struct Row {
  double value_ms, percentile, inverse;
  int64_t count;
};

std::vector<Row> rows_of(const std::string& text) {
  std::vector<Row> rows;
  for (const std::string& line : lines_of(text)) {
    Row row{};
    std::istringstream stream(line);
    if (stream >> row.value_ms >> row.percentile >> row.count) {
      stream >> row.inverse;
      rows.push_back(row);
    }
  }
  return rows;
}

TEST(Hgrm, IsWhatHdrHistogramWrites) {
  load::Histogram times;
  for (int64_t ms = 1; ms <= 1000; ++ms) times.record(ms * 1'000'000);
  const std::string text = hgrm_text(times);
  const auto rows = rows_of(text);
  ASSERT_GT(rows.size(), 40U);
  EXPECT_NEAR(rows[0].value_ms, 1, 0.001);
  EXPECT_EQ(rows[0].percentile, 0);
  EXPECT_EQ(rows[0].inverse, 1);
  // Five steps to the median, five more to three quarters.
  EXPECT_NEAR(rows[1].percentile, 0.1, 1e-9);
  EXPECT_NEAR(rows[5].percentile, 0.5, 1e-9);
  EXPECT_NEAR(rows[5].value_ms, 500, 0.5);
  EXPECT_EQ(rows[5].count, 500);
  EXPECT_NEAR(rows[6].percentile, 0.55, 1e-9);
  EXPECT_NEAR(rows[10].percentile, 0.75, 1e-9);
  EXPECT_EQ(rows.back().percentile, 1);
  EXPECT_EQ(rows.back().count, 1000);
  EXPECT_NEAR(rows.back().value_ms, 1000, 1e-6);
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GE(rows[i].value_ms, rows[i - 1].value_ms);
    EXPECT_GT(rows[i].percentile, rows[i - 1].percentile);
  }
  EXPECT_THAT(text, HasSubstr("#[Mean    =   500.500000, StdDeviation   =   288.67"));
  EXPECT_THAT(text, HasSubstr("Total count    =         1000]"));
}

TEST(Hgrm, OneValueAndNone) {
  load::Histogram times;
  EXPECT_TRUE(rows_of(hgrm_text(times)).empty());
  EXPECT_THAT(hgrm_text(times), HasSubstr("Total count    =            0]"));
  times.record(5'000'000);
  const auto rows = rows_of(hgrm_text(times));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].percentile, 1);
  EXPECT_EQ(rows[0].value_ms, 5);
}

TEST(SecondsCsv, RowsAreDifferencesAndAbsentIsEmpty) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("seconds_csv_test." + std::to_string(getpid())))
          .string();
  auto csv = SecondsCsv::create(path);
  ASSERT_TRUE(csv.ok()) << csv.status();
  hotlap::v1::LoadResponse line;
  line.set_elapsed_s(1);
  line.mutable_counts()->set_started(10);
  line.mutable_counts()->set_ok(8);
  line.mutable_counts()->set_timeout(1);
  line.mutable_recent()->set_response_p50_ns(70);
  csv->add(line);
  line.set_elapsed_s(2);
  line.mutable_counts()->set_started(25);
  line.mutable_counts()->set_ok(24);
  line.mutable_recent()->clear_response_p50_ns();
  csv->add(line);
  ASSERT_TRUE(csv->close().ok());
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(path);
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], StartsWith("end_s,started,late,never_sent,ok,failed,bytes_received,"));
  EXPECT_EQ(lines[1], "1.000,10,0,0,8,1,0,70,,,,");
  EXPECT_EQ(lines[2], "2.000,15,0,0,16,0,0,,,,,");
}

TEST(SecondsCsv, AFileThatCannotBeWrittenIsNamed) {
  const auto csv = SecondsCsv::create("/no/such/directory/x.csv");
  ASSERT_FALSE(csv.ok());
  EXPECT_THAT(std::string(csv.status().message()), HasSubstr("/no/such/directory/x.csv"));
  EXPECT_THAT(std::string(write_file("/no/such/directory/x", "").message()),
              HasSubstr("/no/such/directory/x"));
}

}  // namespace
}  // namespace hotlap::cli
