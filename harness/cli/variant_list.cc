// See variant_list.h.
#include "harness/cli/variant_list.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace hotlap::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kHowToMeasure[] = "run `hotlap-micro --save`";

bool has_strings(const Json& object, std::initializer_list<const char*> names) {
  if (!object.is_object()) return false;
  return std::all_of(names.begin(), names.end(), [&object](const char* name) {
    return object.contains(name) && object[name].is_string();
  });
}

bool is_variant(const Json& json) {
  return has_strings(json, {"name", "summary", "costs"}) && json.contains("supported") &&
         json["supported"].is_boolean() && json.contains("reason") && json.contains("exemptions") &&
         json["exemptions"].is_array();
}

bool is_stage(const Json& json) {
  return has_strings(json, {"name"}) && json.contains("variants") && json["variants"].is_array() &&
         std::all_of(json["variants"].begin(), json["variants"].end(), is_variant);
}

bool is_list(const Json& json) {
  if (!json.is_object() || !json.contains("stages") || !json.contains("profiles")) return false;
  return json["stages"].is_array() && json["profiles"].is_array() &&
         std::all_of(json["stages"].begin(), json["stages"].end(), is_stage) &&
         std::all_of(json["profiles"].begin(), json["profiles"].end(), [](const Json& profile) {
           return has_strings(profile, {"name", "summary", "pipeline"});
         });
}

std::string age_text(int64_t age_s) {
  struct Unit {
    int64_t seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86'400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
  for (const Unit& unit : kUnits) {
    const int64_t count = age_s / unit.seconds;
    if (count > 0) return absl::StrCat(count, " ", unit.name, count == 1 ? "" : "s", " ago");
  }
  return "just now";
}

Json figure_json(const record::MicroFigure& figure) {
  Json json = {{"input", figure.input},
               {"cpu_ns_per_call", figure.cpu_ns},
               {"allocations_per_call", figure.allocations}};
  if (figure.instructions) json["instructions_per_call"] = *figure.instructions;
  if (figure.cycles) json["cycles_per_call"] = *figure.cycles;
  if (figure.branch_misses) json["branch_misses_per_call"] = *figure.branch_misses;
  return json;
}

// Three digits that count, and no exponent.
std::string ns_text(double ns) {
  constexpr double kThreeDigits = 100;
  return ns < kThreeDigits ? absl::StrFormat("%.3g", ns) : absl::StrFormat("%.0f", ns);
}

std::string figure_text(const Json& figure) {
  return absl::StrFormat("alone %s ns and %.2g allocations a call (%s)",
                         ns_text(figure["cpu_ns_per_call"].get<double>()),
                         figure["allocations_per_call"].get<double>(),
                         figure["input"].get<std::string>());
}

std::string variant_text(const Json& variant) {
  const auto text = [&variant](const char* name) { return variant[name].get<std::string>(); };
  std::string out = absl::StrFormat("  %-18s%s\n", text("name"), text("summary"));
  std::string state = "runs here";
  if (!variant["supported"].get<bool>()) {
    state = absl::StrCat("does not run here: ",
                         variant["reason"].is_string() ? text("reason") : "no reason given");
  }
  const auto exemptions = variant["exemptions"].get<std::vector<Json>>();
  if (!exemptions.empty()) {
    const auto name = [](std::string* to, const Json& exemption) {
      to->append(exemption.is_string() ? exemption.get<std::string>() : exemption.dump());
    };
    absl::StrAppend(&state, "; declares the fault ", absl::StrJoin(exemptions, ", ", name));
  }
  absl::StrAppendFormat(&out, "  %-18scosts %s; %s\n", "", text("costs"), state);
  if (variant.contains("micro")) {
    absl::StrAppendFormat(&out, "  %-18s%s\n", "", figure_text(variant["micro"]));
  }
  return out;
}

std::string measured_text(const Json& list) {
  const Json& micro = list["micro"];
  if (micro.is_null()) return list["micro_absent"].get<std::string>();
  return absl::StrCat("measured ", age_text(micro["age_s"].get<int64_t>()), " on ",
                      micro["cpu_model"].get<std::string>(), "; to measure anew, ", kHowToMeasure);
}

}  // namespace

absl::StatusOr<Json> parse_variant_list(const std::string& text) {
  Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (is_list(list)) return list;
  return absl::InternalError(
      "hotlap-server --list --json is of a form unknown here: is it of the same build as hotlap?");
}

void add_figures(Json& list, const absl::StatusOr<record::MicroFigures>& figures,
                 int64_t now_unix_s) {
  list["micro"] = nullptr;
  if (!figures.ok()) {
    list["micro_absent"] =
        absl::IsNotFound(figures.status())
            ? absl::StrCat("no figures of this machine yet: ", kHowToMeasure)
            : absl::StrCat("no figures to show: ", figures.status().message(), "; ", kHowToMeasure);
    return;
  }
  // A clock that was set back makes no figure come from the future.
  const int64_t age_s = std::max<int64_t>(now_unix_s - figures->measured_at_unix_s, 0);
  list["micro"] = {{"measured_at_unix_s", figures->measured_at_unix_s},
                   {"age_s", age_s},
                   {"cpu_model", figures->cpu_model}};
  for (Json& stage : list["stages"]) {
    for (Json& variant : stage["variants"]) {
      const record::MicroFigure* const figure =
          figures->typical(stage["name"].get<std::string>(), variant["name"].get<std::string>());
      if (figure != nullptr) variant["micro"] = figure_json(*figure);
    }
  }
}

std::string variant_list_text(const Json& list) {
  std::string text;
  for (const Json& stage : list["stages"]) {
    absl::StrAppend(&text, stage["name"].get<std::string>(), "\n");
    for (const Json& variant : stage["variants"]) text += variant_text(variant);
  }
  text += "profiles\n";
  for (const Json& profile : list["profiles"]) {
    absl::StrAppendFormat(&text, "  %-18s%s\n  %-18s%s\n", profile["name"].get<std::string>(),
                          profile["summary"].get<std::string>(), "",
                          profile["pipeline"].get<std::string>());
  }
  return absl::StrCat(text, "calls alone\n  ", measured_text(list), "\n");
}

}  // namespace hotlap::cli
