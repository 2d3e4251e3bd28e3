// See micro_figures.h.
#include "harness/record/micro_figures.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace hotlap::record {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

struct OptionalField {
  const char* name;
  std::optional<double> MicroFigure::*value;
};
constexpr OptionalField kOptionalFields[] = {{"instructions", &MicroFigure::instructions},
                                             {"cycles", &MicroFigure::cycles},
                                             {"branch_misses", &MicroFigure::branch_misses}};

Json json_of(const MicroFigure& figure) {
  Json json = {{"stage", figure.stage},   {"variant", figure.variant},
               {"input", figure.input},   {"typical", figure.typical},
               {"cpu_ns", figure.cpu_ns}, {"allocations", figure.allocations}};
  for (const OptionalField& field : kOptionalFields) {
    if (figure.*field.value) json[field.name] = *(figure.*field.value);
  }
  return json;
}

// Each field where it is of its type; false where one that must be there is not.
template <class T>
bool take(const Json& json, const char* name, T& value) {
  const auto field = json.find(name);
  if (field == json.end()) return false;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!field->is_string()) return false;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!field->is_boolean()) return false;
  } else if constexpr (std::is_integral_v<T>) {
    if (!field->is_number_integer()) return false;
  } else if (!field->is_number()) {
    return false;
  }
  value = field->template get<T>();
  return true;
}

bool take_figure(const Json& json, MicroFigure& figure) {
  const bool whole = json.is_object() && take(json, "stage", figure.stage) &&
                     take(json, "variant", figure.variant) && take(json, "input", figure.input) &&
                     take(json, "typical", figure.typical) && take(json, "cpu_ns", figure.cpu_ns) &&
                     take(json, "allocations", figure.allocations);
  if (!whole) return false;
  for (const OptionalField& field : kOptionalFields) {
    double value = 0;
    if (take(json, field.name, value)) figure.*field.value = value;
  }
  return true;
}

absl::Status replace_file(const std::string& path, const std::string& text) {
  const std::string written = absl::StrCat(path, ".", getpid());
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  std::ofstream file(written, std::ios::binary);
  if (!(file << text).flush()) {
    return absl::UnavailableError(
        absl::StrCat("cannot write ", written, ": is its directory there, and may you write?"));
  }
  std::filesystem::rename(written, path, error);
  if (error)
    return absl::UnavailableError(absl::StrCat("cannot replace ", path, ": ", error.message()));
  return absl::OkStatus();
}

absl::Status unreadable(const std::string& path, const std::string& what) {
  return absl::DataLossError(
      absl::StrCat(path, " ", what, ": measure anew with `hotlap-micro --save`"));
}

}  // namespace

const MicroFigure* MicroFigures::typical(const std::string& stage,
                                         const std::string& variant) const {
  for (const MicroFigure& figure : figures) {
    if (figure.typical && figure.stage == stage && figure.variant == variant) return &figure;
  }
  return nullptr;
}

absl::StatusOr<std::string> micro_figures_path() {
  // A relative XDG_STATE_HOME is to be ignored, by the specification.
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return absl::StrCat(state, "/hotlap/micro.json");
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') {
    return absl::StrCat(home, "/.local/state/hotlap/micro.json");
  }
  return absl::FailedPreconditionError(
      "neither XDG_STATE_HOME nor HOME is an absolute path: set one to keep figures there");
}

absl::Status write_micro_figures(const std::string& path, const MicroFigures& figures) {
  Json json = {{"version", kVersion},
               {"cpu_model", figures.cpu_model},
               {"measured_at_unix_s", figures.measured_at_unix_s},
               {"figures", Json::array()}};
  for (const MicroFigure& figure : figures.figures) json["figures"].push_back(json_of(figure));
  return replace_file(path, json.dump(1) + "\n");
}

absl::StatusOr<MicroFigures> read_micro_figures(const std::string& path,
                                                const std::string& cpu_model) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("there is no ", path));
  std::stringstream text;
  text << file.rdbuf();
  const Json json = Json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  int version = 0;
  if (!json.is_object() || !take(json, "version", version)) {
    return unreadable(path, "holds no figures");
  }
  if (version != kVersion) {
    return unreadable(path, absl::StrCat("is of version ", version, ", known is ", kVersion));
  }
  MicroFigures figures;
  const auto list = json.find("figures");
  if (!take(json, "cpu_model", figures.cpu_model) ||
      !take(json, "measured_at_unix_s", figures.measured_at_unix_s) || list == json.end() ||
      !list->is_array()) {
    return unreadable(path, "lacks a field");
  }
  for (const Json& one : *list) {
    if (!take_figure(one, figures.figures.emplace_back())) {
      return unreadable(path, "has a figure that lacks a field");
    }
  }
  if (figures.cpu_model != cpu_model) {
    return absl::FailedPreconditionError(
        absl::StrCat("the figures saved are of another processor (", figures.cpu_model,
                     ", this is ", cpu_model, ")"));
  }
  return figures;
}

}  // namespace hotlap::record
