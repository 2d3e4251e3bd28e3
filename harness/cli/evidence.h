// From rounds to what the verdicts are reached on: each metric's value for an arm in a round, and
// the evidence of one arm against the first.
#ifndef HOTLAP_HARNESS_CLI_EVIDENCE_H_
#define HOTLAP_HARNESS_CLI_EVIDENCE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/plan/verdict.h"
#include "harness/proto/results.pb.h"

namespace hotlap::cli {

// An arm's value of a metric in a round, in the metric's unit; nothing where it was not measured.
//   cpu_per_request                        cpu_ns / ok
//   server_and_generator_cpu_per_request   (cpu_ns + generator_cpu_ns) / ok
//   throughput                             ok / seconds of own slices
//   latency_p50, latency_p90, latency_p99  of the round
//   minor_faults_per_request, context_switches_per_request, syscalls_per_request
//   rss_peak                               rss_peak_bytes
//   reply_bytes_per_request                reply_bytes / ok
//   event:NAME                             the event's count / ok
//   rss_growth_per_request                 (rss_end - rss_begin) / requests between them
std::optional<double> metric_value(std::string_view metric, const hotlap::v1::ArmRound& arm);

// Rounds of both passes; void ones may be among them, and are left out.
class RoundLog {
 public:
  void add(hotlap::v1::Round round);

  const std::vector<hotlap::v1::Round>& rounds() const { return rounds_; }
  uint32_t kept(std::string_view pass) const;
  uint32_t voided() const;
  std::vector<uint32_t> voids_by_arm(uint32_t arms) const;

  // Arm `arm` against arm 0. `margin_ratio` is the metric's in this run; alpha and at_look are left
  // to the caller.
  plan::Evidence evidence(const plan::Metric& metric, uint32_t arm, double margin_ratio) const;

  // The primary metric's evidence, with the typical slice and the flags of interference and age.
  absl::StatusOr<plan::Evidence> primary_evidence(const plan::Metric& metric, uint32_t arm,
                                                  double margin_ratio, double alpha) const;

  // How old connections became: an arm's timed requests in a connection set, and the set's length.
  struct Age {
    double requests = 0;
    double seconds = 0;
  };
  std::optional<Age> age() const;

  // The largest share of its CPU time that an arm spent outside its own slices.
  std::optional<double> outside_share(uint32_t arm) const;

 private:
  std::vector<hotlap::v1::Round> rounds_;
};

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_EVIDENCE_H_
