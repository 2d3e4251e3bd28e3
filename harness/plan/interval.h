// A closed interval, in the unit of what it bounds.
#pragma once

namespace hotlap::plan {

struct Interval {
  double low = 0;
  double high = 0;

  bool Contains(double value) const { return low <= value && value <= high; }
  bool Excludes(double value) const { return !Contains(value); }
  bool Within(double margin) const { return low >= -margin && high <= margin; }
  bool Beyond(double margin) const { return low > margin || high < -margin; }
  bool Disjoint(const Interval& other) const { return high < other.low || other.high < low; }
};

}  // namespace hotlap::plan
