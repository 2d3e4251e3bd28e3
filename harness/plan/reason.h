// The one sentence that tells a reader how a verdict came about.
#pragma once

#include <string>

#include "harness/plan/verdict.h"

namespace hotlap::plan {

// What the sentence needs beside the verdict's own fields.
struct ReasonFacts {
  bool at_look = true;
  bool found = false;          // the interval excludes 0
  double threshold = 0;        // max(delta, phi)
  bool floor_decides = false;  // phi > delta
};

std::string reason(const Verdict& verdict, const ReasonFacts& facts);

// "2.31 %" or "5 bytes": a value of d as it is printed, with its sign when `sign`.
std::string printed(const Verdict& verdict, double d, bool sign = true);

// A margin or floor as it was declared: 0.005 is "0.50 %".
std::string printed_margin(const Verdict& verdict, double margin);

// "inconclusive, …": an exploratory change that does not hold beside the other metrics.
std::string reason_not_kept(const Verdict& verdict, size_t metrics);

}  // namespace hotlap::plan
