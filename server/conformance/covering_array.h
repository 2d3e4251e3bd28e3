// Covering arrays: few rows in which every choice of levels of any `strength` factors occurs
// together. A fault of two variants that meet is then seen without running every combination.
// Greedy, after Cohen, Dalal, Fredman and Patton, The AETG System, IEEE TSE 23(7), 1997: not the
// fewest rows, near it. Costs milliseconds at strength 2, about a second at 3.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace hotlap::conformance {

using Row = std::vector<int>;  // one level a factor, from 0

struct CoveringArray {
  std::vector<Row> rows;
  std::uint64_t covered = 0;     // tuples that occur in a row
  std::uint64_t impossible = 0;  // tuples of which no valid row was found
};

// `levels[i]` is how many levels factor i has; `valid` refuses rows that cannot be. A tuple counts
// as impossible when neither the row that is 0 elsewhere nor any of some hundred drawn ones is
// valid. Same arguments, same rows.
CoveringArray covering_array(const std::vector<int>& levels, int strength,
                             const std::function<bool(const Row&)>& valid, std::uint64_t seed);

}  // namespace hotlap::conformance
