// See counting_cost.h.
#include "harness/cli/counting_cost.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/plan/hodges_lehmann.h"
#include "harness/plan/verdict.h"
#include "harness/record/csv.h"

namespace hotlap::cli {
namespace {

constexpr double kAlpha = 0.05;

double cpu_per_request(const hotlap::v1::ArmRound& arm) {
  if (!arm.has_cpu_ns() || arm.counts().ok() == 0) return 0;
  return static_cast<double>(arm.cpu_ns()) / static_cast<double>(arm.counts().ok());
}

std::optional<double> if_positive(double value) {
  return value > 0 ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

void CountingCost::add(const hotlap::v1::Round& round) {
  Row row{round.index(), 0, 0, round.void_cause()};
  for (const auto& arm : round.arms()) {
    (arm.arm() == 0 ? row.plain_ns : row.counted_ns) = cpu_per_request(arm);
  }
  rows_.push_back(std::move(row));
}

hotlap::v1::CaptureCost CountingCost::message() const {
  std::vector<double> differences;
  for (const Row& row : rows_) {
    if (!row.void_cause.empty() || row.plain_ns <= 0 || row.counted_ns <= 0) continue;
    differences.push_back(std::log(row.counted_ns / row.plain_ns));
  }
  hotlap::v1::CaptureCost cost;
  cost.set_rounds(static_cast<uint32_t>(differences.size()));
  if (differences.empty()) return cost;
  cost.set_percent(plan::percent(plan::hodges_lehmann(differences)));
  if (const auto interval = plan::hodges_lehmann_interval(differences, kAlpha)) {
    cost.set_low_percent(plan::percent(interval->low));
    cost.set_high_percent(plan::percent(interval->high));
  }
  return cost;
}

std::string CountingCost::csv() const {
  std::string text = "round,plain_cpu_per_request_ns,counted_cpu_per_request_ns,void_cause\n";
  for (const Row& row : rows_) {
    record::CsvLine line;
    line.integer(int64_t{row.round});
    line.real(if_positive(row.plain_ns)).real(if_positive(row.counted_ns)).text(row.void_cause);
    text += std::move(line).finish();
  }
  return text;
}

std::string counting_cost_text(const hotlap::v1::Run& run) {
  if (!run.has_counting_cost()) return "";
  const auto& cost = run.counting_cost();
  const std::string what = absl::StrCat("counting (", cost.what(), ")");
  if (!cost.has_percent()) {
    return absl::StrCat(what,
                        ": its cost is not known, no round could tell; it is a pass of its "
                        "own, and nothing in it is timed");
  }
  std::string text = absl::StrFormat("%s costs %.1f %% of CPU per request", what, cost.percent());
  if (cost.has_low_percent()) {
    absl::StrAppendFormat(&text, " (95 %% interval %.1f to %.1f)", cost.low_percent(),
                          cost.high_percent());
  }
  return absl::StrCat(text, "; it is a pass of its own, and nothing in it is timed");
}

}  // namespace hotlap::cli
