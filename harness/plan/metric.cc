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

// name, unit, better, scale, margin as a share, margin in the unit, a count?, counting pass?
constexpr std::array kMetrics = {
    Metric{kPrimaryMetric, "ns", kLower, kRatio, 0.005, 10, false, false,
           "CPU time of the target's whole process tree per request"},
    Metric{"server_and_generator_cpu_per_request", "ns", kLower, kRatio, 0.005, 20, false, false,
           "CPU time of server and load generator per request: the judge where the flow of packets "
           "changes"},
    Metric{"throughput", "1/s", kHigher, kRatio, 0.005, 1, false, false,
           "right replies per second of the arm's own slices"},
    Metric{"latency_p50", "ns", kLower, kRatio, 0.01, 1000, false, false,
           "median time from a request's start to its whole reply"},
    Metric{"latency_p90", "ns", kLower, kRatio, 0.02, 1000, false, false,
           "90th percentile of that time"},
    Metric{"latency_p99", "ns", kLower, kRatio, 0.05, 1000, false, false,
           "99th percentile of that time"},
    Metric{"minor_faults_per_request", "1", kLower, kAbsolute, 0.005, 0.01, true, false,
           "page faults served without a disk"},
    Metric{"context_switches_per_request", "1", kLower, kAbsolute, 0.01, 0.02, true, false,
           "voluntary and involuntary switches of the target's threads"},
    Metric{"rss_growth_per_request", "bytes", kLower, kAbsolute, 0.05, 1, false, false,
           "growth of resident memory under load"},
    Metric{"reply_bytes_per_request", "bytes", kLower, kAbsolute, 0.005, 1, true, false,
           "bytes of replies, heads included, as the load generator receives them"},
    Metric{"syscalls_per_request", "1", kLower, kRatio, 0.005, 0.01, true, true,
           "system calls of the target"},
    Metric{"allocations_per_request", "1", kLower, kAbsolute, 0.005, 0.01, true, true,
           "calls of malloc and its relatives; programs that are linked dynamically only"},
    Metric{"allocated_bytes_per_request", "bytes", kLower, kAbsolute, 0.005, 1, true, true,
           "bytes asked for in those calls"},
    Metric{"cgroup_cpu_per_request", "ns", kLower, kRatio, 0.005, 10, false, false,
           "CPU time of the arm's cgroup, by the kernel's account of it; arms that have one"},
};

constexpr Metric kInstructions{"instructions_per_request",
                               "1",
                               kLower,
                               kRatio,
                               0.005,
                               1,
                               true,
                               false,
                               "instructions in user space per request, counted under callgrind"};

}  // namespace

const Metric& instructions_metric() { return kInstructions; }

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
