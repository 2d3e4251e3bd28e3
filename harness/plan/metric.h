// The declared metrics: name, unit, which way is better, on which scale two arms are compared, and
// the margin below which a difference does not matter. The name is the identity everywhere.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace hotlap::plan {

enum class Better { kLower, kHigher };
// Ratio: d = ln(B / A). Absolute: d = B - A, for what may be zero in the baseline.
enum class Scale { kRatio, kAbsolute };

enum class Pass { kTiming, kCounting, kEvents };

struct Metric {
  std::string_view name;
  std::string_view unit;
  Better better = Better::kLower;
  Scale scale = Scale::kRatio;
  double margin_ratio = 0;      // delta on the scale of d: 0.005 is 0.5 %
  double margin_absolute = 0;   // delta in the unit: on the absolute scale, or at a zero baseline
  bool exact_possible = false;  // a count: where no round varies it is compared exactly
  Pass pass = Pass::kTiming;    // in which it is measured
  std::string_view summary;
};

// Of what is a cost or a rate.
inline constexpr double kUsualMargin = 0.005;

// A run's margin is declared for its primary metric, and holds for all others with the usual one
// where that has it too; a latency keeps its own.
double margin_in_run(const Metric& metric, const Metric& primary, double run_margin_ratio);

inline constexpr std::string_view kPrimaryMetric = "cpu_per_request";

std::span<const Metric> metrics();
// The error lists what exists.
absl::StatusOr<Metric> find_metric(std::string_view name);

// Of `hotlap ab --deterministic` alone, which counts it apart from rounds: not one of metrics().
const Metric& instructions_metric();

// Of a perf event that a run counts, a request: named "event:" and its name. `name` must outlive
// what is made of it.
inline constexpr std::string_view kEventPrefix = "event:";
Metric event_metric(std::string_view name);

std::string_view better_name(Better better);  // "lower", "higher"

}  // namespace hotlap::plan
