// See arm_environment.h.
#include "harness/agent/arm_environment.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace hotlap::agent {
namespace {

// What a shell takes as it stands.
bool is_plain(const std::string& value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isalnum(c) ||
           std::string_view("_-+.,:/@%=").find(c) != std::string_view::npos;
  });
}

std::string quoted(const std::string& value) {
  if (is_plain(value)) return value;
  return absl::StrCat("'", absl::StrReplaceAll(value, {{"'", "'\\''"}}), "'");
}

}  // namespace

absl::Status check_environment(const hotlap::v1::Arm& arm) {
  const auto bad = [&arm](const std::string& name, const char* why) {
    return absl::InvalidArgumentError(
        absl::StrCat("arm ", arm.name(), ": variable \"", name, "\" of its environment ", why));
  };
  std::set<std::string> names;
  for (const auto& variable : arm.environment()) {
    const std::string& name = variable.name();
    const auto breaks = [](const std::string& text) { return absl::StrContains(text, '\0'); };
    if (name.empty() || absl::StrContains(name, '=') || breaks(name) || breaks(variable.value())) {
      return bad(name, "must have a name without '=', and no zero byte");
    }
    if (name == "HOTLAP_PADDING") return bad(name, "is drawn by hotlap for every round");
    if (!names.insert(name).second) return bad(name, "is given twice");
    if (arm.target().has_url()) {
      return bad(name, "cannot reach a url target, which runs already: give it as a cmd: target");
    }
  }
  return absl::OkStatus();
}

absl::Status check_preloaded(const std::string& output) {
  const std::vector<std::string> lines = absl::StrSplit(output, '\n');
  for (const std::string& line : lines) {
    if (!absl::StrContains(line, "LD_PRELOAD cannot be preloaded")) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "a library of LD_PRELOAD was not loaded, and the target would run as without it: ", line));
  }
  return absl::OkStatus();
}

std::string environment_words(const hotlap::v1::Arm& arm) {
  std::string words;
  for (const auto& variable : arm.environment()) {
    absl::StrAppend(&words, variable.name(), "=", quoted(variable.value()), " ");
  }
  return words;
}

}  // namespace hotlap::agent
