// Every tuple is covered, by few rows, and what cannot be is counted and left out.
#include "server/conformance/covering_array.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace hotlap::conformance {
namespace {

bool any_row(const Row&) { return true; }

// How many different pairs or triples of the given factors occur in the rows.
std::size_t distinct(const CoveringArray& array, const std::vector<std::size_t>& factors) {
  std::set<Row> seen;
  for (const Row& row : array.rows) {
    Row part;
    for (const std::size_t factor : factors) part.push_back(row[factor]);
    seen.insert(part);
  }
  return seen.size();
}

TEST(CoveringArray, HoldsEveryPairInFewRows) {
  const std::vector<int> levels = {5, 4, 4, 3, 3, 3, 2, 2, 2, 2};
  const CoveringArray array = covering_array(levels, 2, any_row, 1);
  for (std::size_t a = 0; a < levels.size(); ++a) {
    for (std::size_t b = a + 1; b < levels.size(); ++b) {
      EXPECT_EQ(distinct(array, {a, b}), static_cast<std::size_t>(levels[a] * levels[b]));
    }
  }
  EXPECT_EQ(array.impossible, 0u);
  EXPECT_GE(array.rows.size(), 20u);  // the largest pair alone
  EXPECT_LE(array.rows.size(), 32u);
}

TEST(CoveringArray, HoldsEveryTriple) {
  const std::vector<int> levels = {3, 3, 2, 2, 2};
  const CoveringArray array = covering_array(levels, 3, any_row, 1);
  for (std::size_t a = 0; a < levels.size(); ++a) {
    for (std::size_t b = a + 1; b < levels.size(); ++b) {
      for (std::size_t c = b + 1; c < levels.size(); ++c) {
        EXPECT_EQ(distinct(array, {a, b, c}),
                  static_cast<std::size_t>(levels[a] * levels[b] * levels[c]));
      }
    }
  }
  EXPECT_LT(array.rows.size(), 72u);  // fewer than all combinations
}

TEST(CoveringArray, LeavesOutWhatCannotBe) {
  // Level 1 of the first factor goes with level 0 of the second and third only.
  const auto valid = [](const Row& row) { return row[0] != 1 || (row[1] == 0 && row[2] == 0); };
  const CoveringArray array = covering_array({2, 3, 2, 2}, 2, valid, 7);
  for (const Row& row : array.rows) EXPECT_TRUE(valid(row));
  EXPECT_EQ(array.impossible, 3u);
  EXPECT_EQ(distinct(array, {0, 1}), 4u);
  EXPECT_EQ(distinct(array, {0, 2}), 3u);
  EXPECT_EQ(distinct(array, {0, 3}), 4u);
  EXPECT_EQ(distinct(array, {1, 2}), 6u);
}

TEST(CoveringArray, IsTheSameForTheSameSeed) {
  EXPECT_EQ(covering_array({4, 3, 2, 2}, 2, any_row, 5).rows,
            covering_array({4, 3, 2, 2}, 2, any_row, 5).rows);
}

}  // namespace
}  // namespace hotlap::conformance
