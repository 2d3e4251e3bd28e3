// Many tests at once: which p values still count. Each returns one flag per p, in the order given.
#pragma once

#include <span>
#include <vector>

namespace hotlap::plan {

inline constexpr double kFalseDiscoveryRate = 0.10;

// Step-up; holds the false discovery rate at q for independent or positively dependent tests.
std::vector<bool> benjamini_hochberg(std::span<const double> p, double q = kFalseDiscoveryRate);
// The same at q / (1 + 1/2 + … + 1/m): under any dependence.
std::vector<bool> benjamini_yekutieli(std::span<const double> p, double q = kFalseDiscoveryRate);
// Step-down; holds the family-wise error at alpha under any dependence.
std::vector<bool> holm(std::span<const double> p, double alpha);

}  // namespace hotlap::plan
