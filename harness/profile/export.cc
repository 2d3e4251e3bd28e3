// See export.h.
#include "harness/profile/export.h"

#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::ArmProfile;

// A function without a name is at least somewhere.
std::string frame_text(const hotlap::v1::Frame& frame) {
  return frame.function() == "[unknown]" ? absl::StrCat("[", frame.object(), "]")
                                         : frame.function();
}

double ns_per_sample(const ArmProfile& arm) {
  return static_cast<double>(arm.cpu_ns()) / static_cast<double>(arm.requests()) /
         static_cast<double>(arm.samples());
}

}  // namespace

std::string folded(const ArmProfile& arm) {
  // Frames that differ in their object alone read the same here.
  std::map<std::string, uint64_t> lines;
  for (const auto& stack : arm.stacks()) {
    std::string line;
    for (const uint32_t index : stack.frames()) {
      const auto& frame = arm.frames(static_cast<int>(index));
      absl::StrAppend(&line, line.empty() ? "" : ";",
                      absl::StrReplaceAll(frame_text(frame), {{";", ":"}, {"\n", " "}}),
                      frame.kernel() ? "_[k]" : "");
    }
    lines[line.empty() ? "[no stack]" : line] += stack.samples();
  }
  std::string text;
  for (const auto& [line, samples] : lines) absl::StrAppend(&text, line, " ", samples, "\n");
  return text;
}

std::string speedscope(const ArmProfile& arm) {
  nlohmann::ordered_json file;
  file["$schema"] = "https://www.speedscope.app/file-format-schema.json";
  file["name"] = absl::StrCat(arm.arm(), ": ", arm.asked());
  file["exporter"] = "hotlap";
  file["activeProfileIndex"] = 0;
  auto& frames = file["shared"]["frames"] = nlohmann::ordered_json::array();
  for (const auto& frame : arm.frames()) {
    frames.push_back({{"name", frame_text(frame)}, {"file", frame.object()}});
  }
  auto samples = nlohmann::ordered_json::array();
  auto weights = nlohmann::ordered_json::array();
  double sum_ns = 0;
  for (const auto& stack : arm.stacks()) {
    samples.push_back(std::vector<uint32_t>(stack.frames().begin(), stack.frames().end()));
    const double ns = static_cast<double>(stack.samples()) * ns_per_sample(arm);
    weights.push_back(ns);
    sum_ns += ns;
  }
  file["profiles"] = nlohmann::ordered_json::array(
      {{{"type", "sampled"},
        {"name", absl::StrCat(arm.arm(), ": ", arm.asked(), ", CPU a request")},
        {"unit", "nanoseconds"},
        {"startValue", 0},
        {"endValue", sum_ns},
        {"samples", std::move(samples)},
        {"weights", std::move(weights)}}});
  // Names that are not UTF-8 are the target's; they must not cost the file.
  return file.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hotlap::profile
