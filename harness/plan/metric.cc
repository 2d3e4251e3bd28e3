#include "harness/plan/metric.h"

#include <array>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hotlap::plan {
namespace {

constexpr Better kLower = Better::kLower;
constexpr Better kHigher = Better::kHigher;
constexpr Scale kRatio = Scale::kRatio;
constexpr Scale kAbsolute = Scale::kAbsolute;
constexpr Pass kTiming = Pass::kTiming;
constexpr Pass kCounting = Pass::kCounting;

// name, unit, better, scale, margin as a share, margin in the unit, a count?, pass
constexpr std::array kMetrics = {
    Metric{kPrimaryMetric, "ns", kLower, kRatio, kUsualMargin, 10, false, kTiming,
           "CPU time of the target's whole process tree per request"},
    Metric{"server_and_generator_cpu_per_request", "ns", kLower, kRatio, kUsualMargin, 20, false,
           kTiming,
           "CPU time of server and load generator per request: the judge where the flow of packets "
           "changes"},
    Metric{"throughput", "1/s", kHigher, kRatio, kUsualMargin, 1, false, kTiming,
           "right replies per second of the arm's own slices"},
    Metric{"latency_p50", "ns", kLower, kRatio, 0.01, 1000, false, kTiming,
           "median time from a request's start to its whole reply"},
    Metric{"latency_p90", "ns", kLower, kRatio, 0.02, 1000, false, kTiming,
           "90th percentile of that time"},
    Metric{"latency_p99", "ns", kLower, kRatio, 0.05, 1000, false, kTiming,
           "99th percentile of that time"},
    Metric{"minor_faults_per_request", "1", kLower, kAbsolute, kUsualMargin, 0.01, true, kTiming,
           "page faults served without a disk"},
    Metric{"context_switches_per_request", "1", kLower, kAbsolute, 0.01, 0.02, true, kTiming,
           "voluntary and involuntary switches of the target's threads"},
    Metric{"rss_growth_per_request", "bytes", kLower, kAbsolute, 0.05, 1, false, kTiming,
           "growth of resident memory under load"},
    Metric{"rss_peak", "bytes", kLower, kRatio, 0.02, 1 << 20, false, kTiming,
           "the most resident memory that the target ever had"},
    Metric{"reply_bytes_per_request", "bytes", kLower, kAbsolute, kUsualMargin, 1, true, kTiming,
           "bytes of replies, heads included, as the load generator receives them"},
    Metric{"syscalls_per_request", "1", kLower, kRatio, kUsualMargin, 0.01, true, kCounting,
           "system calls of the target"},
    Metric{"allocations_per_request", "1", kLower, kAbsolute, kUsualMargin, 0.01, true, kCounting,
           "calls of malloc and its relatives; programs that are linked dynamically only"},
    Metric{"allocated_bytes_per_request", "bytes", kLower, kAbsolute, kUsualMargin, 1, true,
           kCounting, "bytes asked for in those calls"},
    Metric{"cgroup_cpu_per_request", "ns", kLower, kRatio, kUsualMargin, 10, false, kTiming,
           "CPU time of the arm's cgroup, by the kernel's account of it; arms that have one"},
};

constexpr Metric kInstructions{"instructions_per_request",
                               "1",
                               kLower,
                               kRatio,
                               kUsualMargin,
                               1,
                               true,
                               kTiming,
                               "instructions in user space per request, counted under callgrind"};

}  // namespace

const Metric& instructions_metric() { return kInstructions; }

double margin_in_run(const Metric& metric, const Metric& primary, double run_margin_ratio) {
  const bool usual = metric.margin_ratio == kUsualMargin && primary.margin_ratio == kUsualMargin;
  return usual || metric.name == primary.name ? run_margin_ratio : metric.margin_ratio;
}

Metric event_metric(std::string_view name) {
  return {
      name, "1", kLower, kRatio, kUsualMargin, 0.01, true, Pass::kEvents, "perf events a request"};
}

std::span<const Metric> metrics() { return kMetrics; }

absl::StatusOr<Metric> find_metric(std::string_view name) {
  std::string known;
  for (const Metric& metric : kMetrics) {
    if (metric.name == name) return metric;
    known += known.empty() ? "" : ", ";
    known += metric.name;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("metric '", std::string(name), "' is unknown: give one of ", known));
}

std::string_view better_name(Better better) {
  return better == Better::kLower ? "lower" : "higher";
}

}  // namespace hotlap::plan
