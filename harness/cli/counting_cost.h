// What the counters of the counting pass cost the target: rounds in which the first arm runs twice,
// with and without them, reduced to a difference in CPU per request with its interval.
#ifndef HOTLAP_HARNESS_CLI_COUNTING_COST_H_
#define HOTLAP_HARNESS_CLI_COUNTING_COST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/proto/results.pb.h"

namespace hotlap::cli {

class CountingCost {
 public:
  // A round of the cost pass: arm 0 is plain, arm 1 counted. Void rounds do not count.
  void add(const hotlap::v1::Round& round);

  // Hodges–Lehmann over rounds of ln(counted / plain), its exact 95 % interval from six rounds on.
  hotlap::v1::CaptureCost message() const;

  // The rounds behind it: round, CPU per request plain and counted, why it is void.
  std::string csv() const;

 private:
  struct Row {
    uint32_t round;
    double plain_ns;
    double counted_ns;
    std::string void_cause;
  };
  std::vector<Row> rows_;
};

// "counting (24 system calls by name) costs 2.4 % of CPU per request (1.1 to 3.6); …"; empty where
// the run counted nothing.
std::string counting_cost_text(const hotlap::v1::Run& run);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_COUNTING_COST_H_
