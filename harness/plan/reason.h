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

std::string Reason(const Verdict& verdict, const ReasonFacts& facts);

// "2.31 %" or "5 bytes": a value of d as it is printed, with its sign when `sign`.
std::string Printed(const Verdict& verdict, double d, bool sign = true);

// A margin or floor as it was declared: 0.005 is "0.50 %".
std::string PrintedMargin(const Verdict& verdict, double margin);

// "inconclusive, …": an exploratory change that does not hold beside the other metrics.
std::string ReasonNotKept(const Verdict& verdict, size_t metrics);

}  // namespace hotlap::plan
