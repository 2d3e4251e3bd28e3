// See view_text.h.
#include "harness/profile/view_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/profile/costs.h"
#include "harness/profile/profile_text.h"
#include "harness/profile/view_amounts.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::Amount;
using hotlap::v1::Profile;
using hotlap::v1::View;
using hotlap::v1::ViewArm;
using hotlap::v1::ViewRow;

constexpr int kSites = 12;
constexpr size_t kColumns = 80;
constexpr int kNameColumns = 28;
constexpr int kCountDigits = 4;  // behind the point, of calls a request

// The words of a view.
struct Words {
  const char* title;
  const char* first;   // of the table whose rows are stages
  const char* second;  // likewise
  const char* each;    // "13.2 ns asleep in 1.20 sleeps each"
  const char* sites;   // what changed
  int first_digits;    // behind the point
};

Words words_of(const View& view) {
  if (view.name() == kHeapView) {
    return {"heap: what a request allocates",  "bytes a request",  "allocations a request",
            "%s bytes in %s allocations each", "allocation sites", 1};
  }
  return {"off-CPU: where threads wait",
          "ns asleep a request",
          "sleeps a request",
          "%s ns asleep in %s sleeps each",
          "sleeps",
          1};
}

// No wider than nine columns as long as that is possible.
std::string number(double value, int digits, bool sign = false) {
  const double size = std::abs(value);
  if (size >= 99999.5) digits = 0;
  std::string text =
      sign ? absl::StrFormat("%+.*f", digits, value) : absl::StrFormat("%.*f", digits, value);
  return text;
}

std::string value_text(const hotlap::v1::ArmAmount& amount, int digits) {
  return absl::StrFormat("%10s", amount.seen() ? number(amount.per_request(), digits) : ".");
}

std::string half_width_text(const std::optional<double>& half, int digits) {
  return half ? absl::StrFormat(" ± %-8s", number(*half, digits)) : std::string(11, ' ');
}

uint32_t turns_of(const View& view) {
  uint32_t turns = view.arms(0).turns();
  for (const ViewArm& arm : view.arms()) turns = std::min(turns, arm.turns());
  return turns;
}

std::string figures(const View& view, const Amount& amount, int digits) {
  const uint32_t turns = turns_of(view);
  const auto& first = amount.arms(0);
  std::string text = value_text(first, digits);
  if (!amount.has_difference()) {
    const auto half = half_of_interval(turns, first.has_standard_error(), first.standard_error());
    return text + half_width_text(half, digits);
  }
  const auto half = half_of_interval(turns, amount.has_difference_standard_error(),
                                     amount.difference_standard_error());
  return absl::StrCat(text, value_text(amount.arms(1), digits),
                      absl::StrFormat("%11s", number(amount.difference(), digits, true)),
                      half_width_text(half, digits));
}

void append_row(const View& view, const std::string& name, const Amount& amount, int digits,
                std::string& text) {
  absl::StrAppendFormat(&text, "%-*s%s", kNameColumns, name.substr(0, kNameColumns - 1),
                        figures(view, amount, digits));
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

void append_header(const std::string& name, const Profile& profile, std::string& text) {
  const std::string& a = profile.arms(0).arm();
  absl::StrAppendFormat(&text, "\n%-*s%10s", kNameColumns, name, a);
  if (profile.arms_size() == 2) {
    const std::string& b = profile.arms(1).arm();
    absl::StrAppendFormat(&text, "%10s%11s", b, absl::StrCat(b, " - ", a));
  }
  text += '\n';
}

void append_arm(const Profile& profile, const View& view, int index, std::string& text) {
  const ViewArm& arm = view.arms(index);
  const Words words = words_of(view);
  absl::StrAppend(&text, arm.arm(), "  ", profile.arms(index).asked(), "\n");
  const auto each = absl::ParsedFormat<'s', 's'>::New(words.each);
  absl::StrAppend(
      &text, "   ", arm.requests(), " requests, ",
      absl::StrFormat(*each,
                      number(view.total().first().arms(index).per_request(), words.first_digits),
                      number(view.total().second().arms(index).per_request(), kCountDigits)),
      "\n   ", arm.stacks_taken(), " stacks",
      arm.every() > 1 ? absl::StrCat(" (every ", arm.every(), "th)") : "", " of ", arm.threads(),
      arm.threads() == 1 ? " thread, " : " threads, ", arm.turns(), " turns\n");
}

std::string site_name(const ViewRow& row) {
  std::string name = absl::StrCat(row.stage(), ": ");
  // Of targets without stages the stage already says the call.
  const bool tells_call = row.stage().find(row.system_call()) == std::string::npos;
  if (!row.system_call().empty() && tells_call) {
    absl::StrAppend(&name, row.system_call(), ", ");
  }
  return name;
}

void append_sites(const View& view, bool two, int digits, std::string& text) {
  absl::StrAppend(&text, "\n", words_of(view).sites, two ? " that changed most" : " with the most",
                  ", by the target's own code\n");
  const int shown = std::min(kSites, view.sites_size());
  for (int i = 0; i < shown; ++i) {
    const ViewRow& row = view.sites(i);
    const std::string name = site_name(row);
    const std::string numbers = figures(view, row.first(), digits);
    // The sign ± is two bytes and one column.
    const size_t columns = numbers.size() - (absl::StrContains(numbers, "±") ? 1 : 0);
    const size_t used = columns + 1 + name.size();
    absl::StrAppend(&text, numbers, " ", name,
                    short_function(row.function(), kColumns > used + 8 ? kColumns - used : 8),
                    "\n");
  }
}

void append_off_cpu(const View& view, std::string& text) {
  for (const auto& more : view.more()) {
    const bool counts = more.unit().empty();
    const std::string name = more.name() == "idle"        ? "of it idle"
                             : more.name() == "woken"     ? "runnable, after a sleep"
                             : more.name() == "preempted" ? "runnable, preempted"
                                                          : "preemptions a request";
    append_row(view, name, more.amount(), counts ? kCountDigits : 1, text);
  }
}

}  // namespace

std::string view_text(const Profile& profile, const View& view) {
  const bool two = profile.arms_size() == 2;
  const Words words = words_of(view);
  std::string text = absl::StrCat(words.title, "\n");
  for (int i = 0; i < view.arms_size(); ++i) append_arm(profile, view, i, text);
  append_header(words.first, profile, text);
  for (const ViewRow& row : view.stages()) {
    append_row(view, row.stage(), row.first(), words.first_digits, text);
  }
  append_row(view, "in all", view.total().first(), words.first_digits, text);
  append_header(words.second, profile, text);
  for (const ViewRow& row : view.stages()) {
    append_row(view, row.stage(), row.second(), kCountDigits, text);
  }
  append_row(view, "in all", view.total().second(), kCountDigits, text);
  if (view.more_size() > 0) append_header("beside it", profile, text);
  append_off_cpu(view, text);
  append_sites(view, two, words.first_digits, text);
  if (view.name() == kOffCpuView) {
    absl::StrAppend(&text,
                    "\nidle: in epoll_wait and its like, which wait for requests by design; idle\n"
                    "threads of a pool wait in futex, as do those that wait for a lock\n");
  }
  for (const ViewArm& arm : view.arms()) {
    for (const std::string& note : arm.notes()) append_note(arm.arm(), note, text);
  }
  return text;
}

}  // namespace hotlap::profile
