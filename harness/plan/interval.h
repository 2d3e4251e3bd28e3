// A closed interval, in the unit of what it bounds.
#pragma once

namespace hotlap::plan {

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
  bool excludes(double value) const { return !contains(value); }
  bool within(double margin) const { return low >= -margin && high <= margin; }
  bool beyond(double margin) const { return low > margin || high < -margin; }
  bool disjoint(const Interval& other) const { return high < other.low || other.high < low; }
};

}  // namespace hotlap::plan
