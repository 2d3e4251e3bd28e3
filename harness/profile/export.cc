// See export.h.
#include "harness/profile/export.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "harness/profile/view_amounts.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::ArmProfile;
using hotlap::v1::ViewArm;

// A function without a name is at least somewhere.
std::string frame_text(const hotlap::v1::Frame& frame) {
  return frame.function() == "[unknown]" ? absl::StrCat("[", frame.object(), "]")
                                         : frame.function();
}

// A stack with what it weighs.
struct Weighed {
  std::vector<uint32_t> frames;  // root first
  double weight = 0;
};

using Frames = google::protobuf::RepeatedPtrField<hotlap::v1::Frame>;

std::vector<uint32_t> indices_of(const google::protobuf::RepeatedField<uint32_t>& frames) {
  return {frames.begin(), frames.end()};
}

double ns_per_sample(const ArmProfile& arm) {
  return static_cast<double>(arm.cpu_ns()) / static_cast<double>(arm.requests()) /
         static_cast<double>(arm.samples());
}

std::vector<Weighed> weighed(const ArmProfile& arm, double each) {
  std::vector<Weighed> stacks;
  for (const auto& stack : arm.stacks()) {
    stacks.push_back({indices_of(stack.frames()), each * static_cast<double>(stack.samples())});
  }
  return stacks;
}

std::vector<Weighed> weighed(const ViewArm& arm, bool first, double each) {
  std::vector<Weighed> stacks;
  for (const auto& stack : arm.stacks()) {
    const double amount = first ? stack.first() : stack.second();
    if (amount > 0) stacks.push_back({indices_of(stack.frames()), each * amount});
  }
  return stacks;
}

std::string folded_text(const Frames& frames, const std::vector<Weighed>& stacks) {
  // Frames that differ in their object alone read the same here.
  std::map<std::string, double> lines;
  for (const Weighed& stack : stacks) {
    std::string line;
    for (const uint32_t index : stack.frames) {
      const auto& frame = frames[static_cast<int>(index)];
      absl::StrAppend(&line, line.empty() ? "" : ";",
                      absl::StrReplaceAll(frame_text(frame), {{";", ":"}, {"\n", " "}}),
                      frame.kernel() ? "_[k]" : "");
    }
    lines[line.empty() ? "[no stack]" : line] += stack.weight;
  }
  std::string text;
  for (const auto& [line, weight] : lines) {
    absl::StrAppend(&text, line, " ", static_cast<int64_t>(std::llround(weight)), "\n");
  }
  return text;
}

nlohmann::ordered_json new_speedscope(const std::string& name, const Frames& frames) {
  nlohmann::ordered_json file;
  file["$schema"] = "https://www.speedscope.app/file-format-schema.json";
  file["name"] = name;
  file["exporter"] = "hotlap";
  file["activeProfileIndex"] = 0;
  auto& table = file["shared"]["frames"] = nlohmann::ordered_json::array();
  for (const auto& frame : frames) {
    table.push_back({{"name", frame_text(frame)}, {"file", frame.object()}});
  }
  file["profiles"] = nlohmann::ordered_json::array();
  return file;
}

void add_profile(const std::string& name, const std::string& unit,
                 const std::vector<Weighed>& stacks, nlohmann::ordered_json& file) {
  auto samples = nlohmann::ordered_json::array();
  auto weights = nlohmann::ordered_json::array();
  double sum = 0;
  for (const Weighed& stack : stacks) {
    samples.push_back(stack.frames);
    weights.push_back(stack.weight);
    sum += stack.weight;
  }
  file["profiles"].push_back({{"type", "sampled"},
                              {"name", name},
                              {"unit", unit},
                              {"startValue", 0},
                              {"endValue", sum},
                              {"samples", std::move(samples)},
                              {"weights", std::move(weights)}});
}

// Names that are not UTF-8 are the target's; they must not cost the file.
std::string text_of(const nlohmann::ordered_json& file) {
  return file.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string folded(const ArmProfile& arm) { return folded_text(arm.frames(), weighed(arm, 1)); }

std::string speedscope(const ArmProfile& arm) {
  const std::string name = absl::StrCat(arm.arm(), ": ", arm.asked());
  auto file = new_speedscope(name, arm.frames());
  add_profile(absl::StrCat(name, ", CPU a request"), "nanoseconds",
              weighed(arm, ns_per_sample(arm)), file);
  return text_of(file);
}

std::vector<ExportedFile> exported(const hotlap::v1::Profile& profile, const hotlap::v1::View& view,
                                   int index) {
  const bool heap = view.name() == kHeapView;
  const ViewArm& arm = view.arms(index);
  const std::string name = absl::StrCat(arm.arm(), ": ", profile.arms(index).asked());
  const double each = 1 / static_cast<double>(arm.requests());
  auto file = new_speedscope(name, arm.frames());
  std::vector<ExportedFile> files;
  for (const bool first : {true, false}) {
    const std::string amount = heap ? first ? "bytes" : "allocations" : first ? "asleep" : "sleeps";
    files.push_back({absl::StrCat(arm.arm(), ".", amount, ".folded"),
                     folded_text(arm.frames(), weighed(arm, first, 1))});
    add_profile(absl::StrCat(name, ", ", amount, " a request"),
                !first ? "none"
                : heap ? "bytes"
                       : "nanoseconds",
                weighed(arm, first, each), file);
  }
  files.push_back({absl::StrCat(arm.arm(), ".", view.name(), ".speedscope.json"), text_of(file)});
  return files;
}

}  // namespace hotlap::profile
