// See profile_text.h.
#include "harness/profile/profile_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "harness/profile/costs.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::ArmProfile;
using hotlap::v1::Cost;
using hotlap::v1::Profile;

constexpr int kFunctions = 12;
constexpr int kSystemCalls = 6;
constexpr size_t kColumns = 80;
constexpr size_t kNameColumns = 28;

// Right-aligned; a cost that no sample showed is a point, as it is less than can be told.
std::string ns_text(const hotlap::v1::ArmCost& cost) {
  return cost.samples() == 0 ? absl::StrFormat("%9s", ".") : absl::StrFormat("%9.1f", cost.ns());
}

std::string half_width_text(const std::optional<double>& ns) {
  return ns ? absl::StrFormat(" ± %-6.1f", *ns) : std::string(9, ' ');
}

uint32_t turns_of(const Profile& profile) {
  uint32_t turns = profile.arms(0).turns();
  for (const ArmProfile& arm : profile.arms()) turns = std::min(turns, arm.turns());
  return turns;
}

// "     61.2 ± 1.2   " of one arm, "   2310.4     61.2   -2249.2 ± 21.0  " of two.
std::string figures(const Profile& profile, const Cost& cost) {
  const uint32_t turns = turns_of(profile);
  const auto& first = cost.arms(0);
  std::string text = ns_text(first);
  if (!cost.has_difference_ns()) {
    return text + half_width_text(half_of_interval(turns, first.has_standard_error_ns(),
                                                   first.standard_error_ns()));
  }
  return absl::StrCat(
      text, ns_text(cost.arms(1)), absl::StrFormat("%+10.1f", cost.difference_ns()),
      half_width_text(half_of_interval(turns, cost.has_difference_standard_error_ns(),
                                       cost.difference_standard_error_ns())));
}

double ns_per_request(const ArmProfile& arm) {
  return static_cast<double>(arm.cpu_ns()) / static_cast<double>(arm.requests());
}

std::string header(const Profile& profile) {
  if (profile.arms_size() == 1) return absl::StrFormat("%9s", profile.arms(0).arm());
  const std::string& a = profile.arms(0).arm();
  const std::string& b = profile.arms(1).arm();
  return absl::StrFormat("%9s%9s%10s", a, b, absl::StrCat(b, " - ", a));
}

void append_arm(const ArmProfile& arm, std::string& text) {
  absl::StrAppend(&text, arm.arm(), "  ", arm.asked(), "\n");
  absl::StrAppendFormat(&text, "   %d requests, %.1f ns of CPU each; %d samples of %s, %d turns\n",
                        arm.requests(), ns_per_request(arm), arm.samples(), arm.event(),
                        arm.turns());
}

void append_row(const Profile& profile, const std::string& name, const Cost& cost,
                std::string& text) {
  absl::StrAppendFormat(&text, "%-*s%s", static_cast<int>(kNameColumns),
                        name.substr(0, kNameColumns - 1), figures(profile, cost));
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

void append_stages(const Profile& profile, std::string& text) {
  absl::StrAppendFormat(&text, "\n%-*s%s\n", static_cast<int>(kNameColumns), "ns a request",
                        header(profile));
  for (const Cost& cost : profile.stages()) append_row(profile, cost.stage(), cost, text);
  append_row(profile, "in all", profile.total(), text);
}

void append_system_calls(const Profile& profile, std::string& text) {
  int shown = 0;
  for (const Cost& cost : profile.system_calls()) {
    // Targets without stages have had their calls in the place of these.
    if (absl::StrContains(cost.stage(), cost.function()) || shown == kSystemCalls) continue;
    if (shown++ == 0) absl::StrAppend(&text, "\nof it, within system calls\n");
    append_row(profile, absl::StrCat(cost.stage(), ": ", cost.function()), cost, text);
  }
}

void append_functions(const Profile& profile, std::string& text) {
  const bool two = profile.arms_size() == 2;
  absl::StrAppend(&text, "\n", two ? "functions that changed most" : "functions that cost most",
                  ", by what they did themselves\n");
  const int shown = std::min(kFunctions, profile.functions_size());
  for (int i = 0; i < shown; ++i) {
    const Cost& cost = profile.functions(i);
    const std::string numbers = figures(profile, cost);
    // The sign ± is two bytes and one column.
    const size_t columns = numbers.size() - (absl::StrContains(numbers, "±") ? 1 : 0);
    const size_t used = columns + 1 + cost.stage().size() + 2;
    absl::StrAppend(&text, numbers, " ", cost.stage(), ": ",
                    short_function(cost.function(), kColumns > used + 8 ? kColumns - used : 8),
                    "\n");
  }
}

void append_legend(const Profile& profile, std::string& text) {
  if (turns_of(profile) < 2) return;
  absl::StrAppend(&text, "\n± half a 95 % interval, over ", turns_of(profile),
                  profile.arms_size() == 2 ? " pairs of turns" : " turns", "; '.': no sample\n");
}

// Copies `text` without what stands between `open` and its `close`.
std::string without_nested(std::string_view text, char open, char close) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) out += c;
    if (c == close && depth > 0) --depth;
  }
  return out;
}

// "a::b::c" is "b::c".
std::string last_two_names(const std::string& name) {
  const size_t last = name.rfind("::");
  if (last == std::string::npos || last == 0) return name;
  const size_t before = name.rfind("::", last - 1);
  return before == std::string::npos ? name : name.substr(before + 2);
}

}  // namespace

std::string short_function(std::string_view function, size_t width) {
  std::string name =
      absl::StrReplaceAll(std::string(function),
                          {{"(anonymous namespace)::", ""}, {"hotlap::", ""}, {"[abi:cxx11]", ""}});
  // "operator<" and "operator->" are no brackets; Go's "(*conn).serve" are no parameters.
  if (name.find("operator") == std::string::npos && name.find("(*") == std::string::npos) {
    std::string bare = without_nested(without_nested(name, '<', '>'), '(', ')');
    if (!bare.empty()) name = last_two_names(bare);
  }
  if (name.size() <= width) return name;
  return name.substr(0, width > 3 ? width - 3 : 0) + "...";
}

void append_note(const std::string& arm, const std::string& note, std::string& text) {
  std::string line = absl::StrCat("note: arm ", arm, ":");
  text += '\n';
  for (const absl::string_view word : absl::StrSplit(note, ' ')) {
    if (line.size() + 1 + word.size() > kColumns) {
      absl::StrAppend(&text, line, "\n");
      line = " ";
    }
    absl::StrAppend(&line, " ", word);
  }
  absl::StrAppend(&text, line, "\n");
}

std::string stages_text(const Profile& profile) {
  std::string text;
  append_stages(profile, text);
  append_legend(profile, text);
  return text;
}

std::string profile_text(const Profile& profile) {
  std::string text;
  for (const ArmProfile& arm : profile.arms()) append_arm(arm, text);
  append_stages(profile, text);
  append_system_calls(profile, text);
  append_functions(profile, text);
  append_legend(profile, text);
  for (const ArmProfile& arm : profile.arms()) {
    for (const std::string& note : arm.notes()) append_note(arm.arm(), note, text);
  }
  return text;
}

}  // namespace hotlap::profile
