// Words and numbers of a finished run; see summary.h.
#include "harness/cli/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "harness/cli/counting_cost.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/open_passes.h"
#include "harness/cli/target_grammar.h"
#include "harness/plan/metric.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::Run;
using hotlap::v1::Verdict;
using Json = nlohmann::ordered_json;

std::string metric_words(const std::string& metric) {
  if (metric == "cpu_per_request") return "CPU per request";
  return absl::StrReplaceAll(metric, {{"_", " "}});
}

std::string arm_words(const Run& run, const std::string& name) {
  for (const auto& arm : run.effective().arms()) {
    if (arm.name() == name) return absl::StrCat(name, " (", arm_text(arm), ")");
  }
  return name;
}

constexpr size_t kNameColumns = 20;  // of a metric in the table

// Enough digits to show the interval's own size, never more than three after the point.
int decimals_of(const Verdict& verdict) {
  const double width = verdict.interval_high_percent() - verdict.interval_low_percent();
  if (!(width > 0)) return 2;
  return std::clamp(static_cast<int>(std::ceil(1 - std::log10(width / 2))), 0, 3);
}

std::string number(double value) {
  const double size = std::fabs(value);
  if (size >= 1e6) return absl::StrFormat("%.3g M", value / 1e6);
  if (size >= 1e4) return absl::StrFormat("%.3g k", value / 1e3);
  return absl::StrFormat("%.4g", value);
}

// A difference, short: one digit suffices where it is next to nothing.
std::string signed_number(double value) {
  const double size = std::fabs(value);
  if (size >= 1e6) return absl::StrFormat("%+.1fM", value / 1e6);
  if (size >= 1e3) return absl::StrFormat("%+.1fk", value / 1e3);
  return absl::StrFormat(size >= 0.1 ? "%+.2g" : "%+.1g", value);
}

// A value in its unit, scaled to what one reads at a glance.
std::string quantity(double value, const std::string& unit) {
  if (unit == "ns") {
    const double size = std::fabs(value);
    if (size >= 1e6) return absl::StrFormat("%.4g ms", value / 1e6);
    if (size >= 1e3) return absl::StrFormat("%.4g us", value / 1e3);
    return absl::StrFormat("%.4g ns", value);
  }
  if (unit == "1/s") return absl::StrCat(number(value), "/s");
  if (unit == "bytes") return absl::StrCat(number(value), " B");
  return number(value);
}

std::string cell(bool present, double value, const std::string& unit) {
  return present ? quantity(value, unit) : "–";
}

// What may be zero is compared by its difference: a percentage of next to nothing misleads.
bool shown_absolutely(const Verdict& verdict) {
  const auto metric = plan::find_metric(std::string_view(verdict.metric()));
  return !verdict.has_estimate_percent() ||
         (metric.ok() && metric->scale == plan::Scale::kAbsolute);
}

// UTF-8 aware, since a dash takes three bytes and one column.
std::string pad_left(const std::string& text, size_t columns) {
  size_t shown = 0;
  for (char c : text) shown += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return shown >= columns ? text : std::string(columns - shown, ' ') + text;
}

// 80 columns.
std::string table_row(const Verdict& verdict) {
  std::string name = verdict.metric();
  if (name == "server_and_generator_cpu_per_request") name = "server+generator_cpu";
  name = absl::StrReplaceAll(name, {{"_per_request", "/req"}});
  if (absl::StartsWith(name, "event:")) name.erase(0, sizeof "event:" - 1);
  if (name.size() > kNameColumns) {
    // Names of tracepoints differ at their ends.
    name = absl::StrCat(name.substr(0, 5), "..", name.substr(name.size() - kNameColumns + 7));
  }
  std::string change = "–";
  std::string interval;
  if (!shown_absolutely(verdict)) {
    const int decimals = decimals_of(verdict);
    change = absl::StrFormat("%+.*f %%", decimals, verdict.estimate_percent());
    if (verdict.has_interval_low_percent()) {
      interval = absl::StrFormat("%+.*f … %+.*f", decimals, verdict.interval_low_percent(),
                                 decimals, verdict.interval_high_percent());
    }
  } else if (verdict.has_estimate_absolute()) {
    change = signed_number(verdict.estimate_absolute());
    if (verdict.has_interval_low_absolute()) {
      interval = absl::StrCat(signed_number(verdict.interval_low_absolute()), " … ",
                              signed_number(verdict.interval_high_absolute()));
    }
  }
  return absl::StrCat(absl::StrFormat("%-22s", absl::StrCat(verdict.primary() ? "* " : "  ", name)),
                      " ", pad_left(cell(verdict.has_a(), verdict.a(), verdict.unit()), 9), " ",
                      pad_left(cell(verdict.has_b(), verdict.b(), verdict.unit()), 9), " ",
                      pad_left(change, 7), " ", pad_left(interval, 15), "  ", verdict.verdict(),
                      "\n");
}

void add_table(const Run& run, const std::string& arm, std::string& text) {
  absl::StrAppend(
      &text, absl::StrFormat("%-22s%10s%10s%8s%16s  %s\n", "  metric",
                             run.effective().arms(0).name(), arm, "change", "interval", "verdict"));
  for (const Verdict& verdict : run.verdicts()) {
    if (verdict.arm() == arm) absl::StrAppend(&text, table_row(verdict));
  }
}

template <typename T>
Json value_or_null(bool present, T value) {
  return present ? Json(value) : Json(nullptr);
}

Json pair_or_null(bool present, double low, double high) {
  return present ? Json::array({low, high}) : Json(nullptr);
}

Json metric_object(const Verdict& v) {
  Json object;
  object["name"] = v.metric();
  object["unit"] = v.unit();
  object["better"] = v.better();
  object["arm"] = v.arm();
  object["primary"] = v.primary();
  object["a"] = value_or_null(v.has_a(), v.a());
  object["b"] = value_or_null(v.has_b(), v.b());
  object["estimate_percent"] = value_or_null(v.has_estimate_percent(), v.estimate_percent());
  object["interval_percent"] = pair_or_null(v.has_interval_low_percent(), v.interval_low_percent(),
                                            v.interval_high_percent());
  object["estimate_absolute"] = value_or_null(v.has_estimate_absolute(), v.estimate_absolute());
  object["interval_absolute"] = pair_or_null(v.has_interval_low_absolute(),
                                             v.interval_low_absolute(), v.interval_high_absolute());
  object["p"] = value_or_null(v.has_p(), v.p());
  object["verdict"] = v.verdict();
  object["reason"] = v.reason();
  object["flags"] = std::vector<std::string>(v.flags().begin(), v.flags().end());
  return object;
}

// With several arms the gate looks at the worst of them.
int gate_rank(const Verdict& verdict) {
  if (verdict.gates()) return kExitRegressed;
  return verdict.verdict() == "inconclusive" ? kExitUndecided : kExitDone;
}

}  // namespace

const Verdict* primary_verdict(const Run& run) {
  for (const Verdict& verdict : run.verdicts()) {
    if (verdict.primary()) return &verdict;
  }
  return nullptr;
}

std::string headline(const Run& run, const Verdict& verdict) {
  const std::string a = arm_words(run, run.effective().arms(0).name());
  const std::string b = arm_words(run, verdict.arm());
  std::string words;
  if (verdict.has_estimate_percent()) {
    const int decimals = decimals_of(verdict);
    const double size = std::fabs(verdict.estimate_percent());
    const char* direction = verdict.estimate_percent() < 0 ? "less" : "more";
    words = absl::StrFormat("%s: %.*f %% %s %s\n  than %s", b, decimals, size, direction,
                            metric_words(verdict.metric()), a);
    if (verdict.has_interval_low_percent()) {
      absl::StrAppend(&words, absl::StrFormat("\n  interval %+.*f to %+.*f %%", decimals,
                                              verdict.interval_low_percent(), decimals,
                                              verdict.interval_high_percent()));
    }
  } else {
    words = absl::StrCat(b, " against ", a, ": ", metric_words(verdict.metric()));
  }
  absl::StrAppend(&words, "\n  verdict: ", verdict.verdict());
  if (verdict.flags_size() > 0) {
    absl::StrAppend(&words, " (", absl::StrJoin(verdict.flags(), ", "), ")");
  }
  return words;
}

std::string text_summary(const Run& run) {
  std::string text;
  for (int i = 1; i < run.effective().arms_size(); ++i) {
    const std::string& arm = run.effective().arms(i).name();
    for (const Verdict& verdict : run.verdicts()) {
      if (verdict.primary() && verdict.arm() == arm) {
        absl::StrAppend(&text, headline(run, verdict), "\n  ", verdict.reason(), "\n\n");
      }
    }
    add_table(run, arm, text);
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, open_passes_text(run));
  absl::StrAppend(&text, run.schedule().rounds(), " rounds, ", run.schedule().void_rounds(),
                  " void, seed ", run.effective().seed(), "; ", run.calibration(), "\n");
  if (!run.schedule().stopped().empty()) {
    absl::StrAppend(&text, "stopped: ", run.schedule().stopped(), "\n");
  }
  if (const std::string cost = counting_cost_text(run); !cost.empty()) {
    absl::StrAppend(&text, cost, "\n");
  }
  for (const std::string& note : run.notes()) absl::StrAppend(&text, "note: ", note, "\n");
  return text;
}

std::string json_summary(const Run& run, const std::string& run_directory, bool profiled) {
  const Verdict* primary = primary_verdict(run);
  Json object;
  object["schema"] = run.schema_version();
  object["run"] = run_directory;
  object["state"] = run.state();
  object["verdict"] = value_or_null(primary != nullptr, primary ? primary->verdict() : "");
  object["reason"] = primary != nullptr ? primary->reason() : run.failure();
  object["calibration"] = run.calibration();
  object["rounds"] = run.schedule().rounds();
  object["void_rounds"] = run.schedule().void_rounds();
  const bool resolved = primary != nullptr && primary->has_resolution_percent();
  object["resolution_percent"] =
      value_or_null(resolved, resolved ? primary->resolution_percent() : 0);
  object["stopped"] = run.schedule().stopped();
  object["elapsed_s"] = run.elapsed_s();
  object["seed"] = run.effective().seed();
  const auto& cost = run.counting_cost();
  object["counting_cost_percent"] = value_or_null(cost.has_percent(), cost.percent());
  object["metrics"] = Json::array();
  for (const Verdict& verdict : run.verdicts()) {
    object["metrics"].push_back(metric_object(verdict));
  }
  object["open_passes"] = Json::parse(open_passes_json(run));
  object["profile"] = value_or_null(profiled, absl::StrCat(run_directory, "/profile.json"));
  object["notes"] = std::vector<std::string>(run.notes().begin(), run.notes().end());
  return object.dump(2) + "\n";
}

int gate_exit_code(const Run& run, Gate gate) {
  if (gate == Gate::kOff) return kExitDone;
  if (gate == Gate::kOn && run.calibration() != "calibrated") return kExitUndecided;
  int code = kExitDone;
  bool regressed = false;
  for (const Verdict& verdict : run.verdicts()) {
    if (!verdict.primary()) continue;
    regressed = regressed || gate_rank(verdict) == kExitRegressed;
    code = std::max(code, gate_rank(verdict));
  }
  return regressed ? kExitRegressed : code;
}

}  // namespace hotlap::cli
