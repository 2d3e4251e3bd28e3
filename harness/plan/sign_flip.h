// The signed-rank test where values are tied or zero: midranks, zeros ranked and then dropped
// (Pratt 1959), and the null distribution over all 2^m sign flips of the m values that are not 0.
//
// Twice a midrank is a whole number, so that the 2^m flips are counted exactly by adding one rank
// at a time, at O(n^3), and no flips need to be sampled however many values there are.
#pragma once

#include <span>
#include <vector>

namespace hotlap::plan {

// Midranks of |values|, from 1, zeros included.
std::vector<double> midranks(std::span<const double> values);

// Two-sided p; 1 where all are zero. Values must be finite, at most kMaxRounds of them.
double sign_flip_p(std::span<const double> values);

}  // namespace hotlap::plan
