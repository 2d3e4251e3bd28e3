// Metric values and evidence; see evidence.h.
#include "harness/cli/evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "harness/agent/round_lengths.h"
#include "harness/plan/age.h"
#include "harness/plan/interference.h"
#include "harness/plan/trimmed_mean.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::ArmRound;
using hotlap::v1::Round;

const char* pass_name(plan::Pass pass) {
  if (pass == plan::Pass::kCounting) return agent::kCountingPass;
  return pass == plan::Pass::kEvents ? agent::kEventsPass : agent::kTimingPass;
}

std::optional<double> per_request(bool present, double total, const ArmRound& arm) {
  if (!present || arm.counts().ok() == 0) return std::nullopt;
  return total / static_cast<double>(arm.counts().ok());
}

const ArmRound* arm_of(const Round& round, uint32_t arm) {
  for (const ArmRound& candidate : round.arms()) {
    if (candidate.arm() == arm) return &candidate;
  }
  return nullptr;
}

std::optional<double> slice_cpu_per_request(const hotlap::v1::Slice& slice) {
  if (!slice.has_server_cpu_ns() || slice.counts().ok() == 0) return std::nullopt;
  const double value =
      static_cast<double>(slice.server_cpu_ns()) / static_cast<double>(slice.counts().ok());
  return value > 0 ? std::optional<double>(value) : std::nullopt;
}

// The trimmed mean over blocks of ln(B / A), or nothing where a round has no such blocks.
std::optional<double> typical_value(const Round& round, uint32_t arm) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<double, double>> blocks;
  for (const auto& slice : round.slices()) {
    const auto value = slice_cpu_per_request(slice);
    if (!value) continue;
    auto& block = blocks[{slice.set(), slice.block()}];
    if (slice.arm() == 0) block.first = *value;
    if (slice.arm() == arm) block.second = *value;
  }
  std::vector<double> differences;
  for (const auto& [key, block] : blocks) {
    if (block.first > 0 && block.second > 0) {
      differences.push_back(std::log(block.second / block.first));
    }
  }
  if (differences.empty()) return std::nullopt;
  return plan::trimmed_mean(differences);
}

// ln(B / A) of each set of a round.
void add_aged_values(const Round& round, uint32_t arm, std::vector<plan::AgedValue>& values) {
  struct Totals {
    double cpu_a = 0, ok_a = 0, cpu_b = 0, ok_b = 0;
  };
  std::map<uint32_t, Totals> sets;
  for (const auto& slice : round.slices()) {
    if (!slice.has_server_cpu_ns()) continue;
    Totals& totals = sets[slice.set()];
    if (slice.arm() == 0) {
      totals.cpu_a += static_cast<double>(slice.server_cpu_ns());
      totals.ok_a += static_cast<double>(slice.counts().ok());
    } else if (slice.arm() == arm) {
      totals.cpu_b += static_cast<double>(slice.server_cpu_ns());
      totals.ok_b += static_cast<double>(slice.counts().ok());
    }
  }
  for (const auto& [set, t] : sets) {
    if (t.cpu_a <= 0 || t.cpu_b <= 0 || t.ok_a <= 0 || t.ok_b <= 0) continue;
    values.push_back({round.index(), static_cast<double>(set),
                      std::log(t.cpu_b / t.ok_b) - std::log(t.cpu_a / t.ok_a)});
  }
}

}  // namespace

std::optional<double> metric_value(std::string_view metric, const ArmRound& arm) {
  const auto real = [](int64_t value) { return static_cast<double>(value); };
  if (metric == "cpu_per_request") return per_request(arm.has_cpu_ns(), real(arm.cpu_ns()), arm);
  if (metric == "server_and_generator_cpu_per_request") {
    return per_request(arm.has_cpu_ns() && arm.has_generator_cpu_ns(),
                       real(arm.cpu_ns()) + real(arm.generator_cpu_ns()), arm);
  }
  if (metric == "throughput") {
    if (!arm.has_own_slices_ns() || arm.own_slices_ns() == 0) return std::nullopt;
    return real(arm.counts().ok()) / (real(arm.own_slices_ns()) * 1e-9);
  }
  if (metric == "latency_p50" && arm.has_latency_p50_ns()) return real(arm.latency_p50_ns());
  if (metric == "latency_p90" && arm.has_latency_p90_ns()) return real(arm.latency_p90_ns());
  if (metric == "latency_p99" && arm.has_latency_p99_ns()) return real(arm.latency_p99_ns());
  if (metric == "minor_faults_per_request") {
    return per_request(arm.has_minor_faults(), real(arm.minor_faults()), arm);
  }
  if (metric == "context_switches_per_request") {
    return per_request(arm.has_voluntary_switches(),
                       real(arm.voluntary_switches()) + real(arm.involuntary_switches()), arm);
  }
  if (metric == "rss_growth_per_request") {
    if (!arm.has_rss_begin_bytes() || !arm.has_rss_end_bytes() || arm.rss_requests() == 0) {
      return std::nullopt;
    }
    return (real(arm.rss_end_bytes()) - real(arm.rss_begin_bytes())) / real(arm.rss_requests());
  }
  if (metric == "rss_peak" && arm.has_rss_peak_bytes()) return real(arm.rss_peak_bytes());
  if (metric == "reply_bytes_per_request") {
    return per_request(arm.has_reply_bytes(), real(arm.reply_bytes()), arm);
  }
  if (metric == "syscalls_per_request") {
    return per_request(arm.has_syscalls(), real(arm.syscalls()), arm);
  }
  if (metric == "allocations_per_request") {
    return per_request(arm.has_allocations(), real(arm.allocations()), arm);
  }
  if (metric == "allocated_bytes_per_request") {
    return per_request(arm.has_allocated_bytes(), real(arm.allocated_bytes()), arm);
  }
  if (metric == "cgroup_cpu_per_request") {
    return per_request(arm.has_cgroup_cpu_ns(), real(arm.cgroup_cpu_ns()), arm);
  }
  for (const auto& event : arm.events()) {
    if (metric == std::string(plan::kEventPrefix) + event.event()) {
      return per_request(true, real(event.count()), arm);
    }
  }
  return std::nullopt;
}

void RoundLog::add(Round round) { rounds_.push_back(std::move(round)); }

uint32_t RoundLog::kept(std::string_view pass) const {
  uint32_t count = 0;
  for (const Round& round : rounds_) count += round.pass() == pass && !round.has_void_cause();
  return count;
}

uint32_t RoundLog::voided() const {
  uint32_t count = 0;
  for (const Round& round : rounds_) count += round.has_void_cause();
  return count;
}

std::vector<uint32_t> RoundLog::voids_by_arm(uint32_t arms) const {
  std::vector<uint32_t> voids(arms, 0);
  for (const Round& round : rounds_) {
    if (round.has_void_cause() && round.has_void_arm()) ++voids[round.void_arm()];
  }
  return voids;
}

plan::Evidence RoundLog::evidence(const plan::Metric& metric, uint32_t arm,
                                  double margin_ratio) const {
  plan::Evidence evidence;
  evidence.metric = metric;
  evidence.margin_ratio = margin_ratio;
  for (const Round& round : rounds_) {
    if (round.has_void_cause()) continue;
    if (round.pass() != pass_name(metric.pass)) continue;
    plan::RoundValues values{.round = round.index(), .a = {}, .b = {}};
    if (const ArmRound* a = arm_of(round, 0)) values.a = metric_value(metric.name, *a);
    if (const ArmRound* b = arm_of(round, arm)) values.b = metric_value(metric.name, *b);
    if (values.a || values.b) evidence.rounds.push_back(values);
  }
  return evidence;
}

absl::StatusOr<plan::Evidence> RoundLog::primary_evidence(const plan::Metric& metric, uint32_t arm,
                                                          double margin_ratio, double alpha) const {
  plan::Evidence evidence = this->evidence(metric, arm, margin_ratio);
  evidence.primary = true;
  if (metric.name != plan::kPrimaryMetric) return evidence;
  std::vector<plan::SliceValue> slices;
  std::vector<plan::AgedValue> aged;
  uint32_t arms = 0;
  for (const Round& round : rounds_) {
    if (round.has_void_cause() || round.pass() != agent::kTimingPass) continue;
    arms = static_cast<uint32_t>(round.arms_size());
    if (const auto typical = typical_value(round, arm)) evidence.typical.push_back(*typical);
    add_aged_values(round, arm, aged);
    for (const auto& slice : round.slices()) {
      if (const auto value = slice_cpu_per_request(slice)) {
        slices.push_back(
            {round.index(), slice.set(), slice.block(), slice.position(), slice.arm(), *value});
      }
    }
  }
  // `typical` has a value a round or says nothing.
  if (evidence.typical.size() != evidence.rounds.size()) evidence.typical.clear();
  const auto slope = plan::estimate_age_slope(aged, alpha);
  if (!slope.ok()) return slope.status();
  evidence.not_steady = !slope->steady;
  const auto carried = plan::estimate_carry_over(slices, arms, margin_ratio, alpha);
  if (!carried.ok()) return carried.status();
  for (const plan::CarryOver& one : *carried) {
    if (one.arm == 0 || one.arm == arm) evidence.interference |= one.interference;
  }
  return evidence;
}

std::optional<RoundLog::Age> RoundLog::age() const {
  double requests = 0;
  double seconds = 0;
  double sets = 0;
  for (const Round& round : rounds_) {
    if (round.pass() != agent::kTimingPass || round.has_void_cause() || round.arms_size() == 0)
      continue;
    uint32_t sets_of_round = 0;
    for (const auto& slice : round.slices())
      sets_of_round = std::max(sets_of_round, slice.set() + 1);
    sets += sets_of_round;
    requests += static_cast<double>(round.arms(0).counts().ok());
    seconds += static_cast<double>(round.arms(0).load_ns()) * 1e-9;
  }
  if (sets == 0) return std::nullopt;
  return Age{requests / sets, seconds / sets};
}

std::optional<double> RoundLog::outside_share(uint32_t arm) const {
  int64_t cpu_ns = 0;
  int64_t own_ns = 0;
  for (const Round& round : rounds_) {
    if (round.pass() != agent::kTimingPass || round.has_void_cause()) continue;
    const ArmRound* candidate = arm_of(round, arm);
    if (candidate == nullptr || !candidate->has_cpu_ns()) return std::nullopt;
    cpu_ns += candidate->cpu_ns();
    own_ns += candidate->cpu_own_slices_ns();
  }
  return plan::outside_share(cpu_ns, own_ns);
}

}  // namespace hotlap::cli
