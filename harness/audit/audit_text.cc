// See audit_text.h.
#include "harness/audit/audit_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/audit/comparison.h"

namespace hotlap::audit {
namespace {

using hotlap::v1::ArmAudit;
using hotlap::v1::AuditPhase;

// Differences below it are what idle calls leave behind.
constexpr double kShownDifference = 0.005;

std::string number(double value) { return absl::StrFormat("%.2f", value); }

// A bracket has a number in neither arm.
std::string count_text(bool present, double value, bool other_present) {
  return present ? number(value) : other_present ? "." : "";
}

std::string plural(uint32_t n, const std::string& noun) {
  return absl::StrCat(n, " ", noun, n == 1 ? "" : noun.ends_with("s") ? "es" : "s");
}

std::string heading(const ArmAudit& arm) {
  return absl::StrCat(arm.arm(), " ", arm.asked(), ": ", plural(arm.requests(), "request"),
                      " one at a time, ", plural(arm.processes(), "process"), ", ",
                      plural(arm.threads(), "thread"),
                      arm.tracer().empty() ? "" : absl::StrCat(", by ", arm.tracer()), "\n");
}

void append_courses(const std::string& title, const AuditPhase& phase, bool number_tasks,
                    std::string& out) {
  for (const auto& course : phase.courses()) {
    absl::StrAppend(&out, "\n", title);
    if (phase.windows() > 1) {
      absl::StrAppend(&out, ", ", course.windows(), " of ", phase.windows());
    }
    absl::StrAppend(&out, ":\n");
    if (course.steps_size() == 0) absl::StrAppend(&out, "    (no call)\n");
    for (const ShownLine& line : shown_lines(course, number_tasks)) {
      absl::StrAppend(&out, "    ", line.text, "\n");
    }
  }
  if (phase.other_windows() > 0) {
    absl::StrAppend(&out, "    and ", phase.other_windows(), " more of other courses\n");
  }
}

void append_counts(const std::string& title, const AuditPhase& phase, const std::string& unit,
                   std::string& out) {
  absl::StrAppend(&out, "\n", title, ":\n");
  if (phase.calls_size() == 0) absl::StrAppend(&out, "    (no call)\n");
  for (const auto& count : phase.calls()) {
    absl::StrAppendFormat(&out, "  %8.2f  %-18s", count.per_window(), count.name());
    if (count.idle_calls() >= kShownDifference) {
      absl::StrAppendFormat(&out, " (of %d calls %.1f are idle ones)", count.calls(),
                            count.idle_calls());
    }
    absl::StrAppend(&out, "\n");
  }
  if (phase.calls_size() > 1) {
    absl::StrAppendFormat(&out, "  %8.2f  in all%s\n", calls_per_window(phase), unit);
  }
}

void append_notes(const ArmAudit& arm, std::string& out) {
  for (const std::string& note : arm.notes()) {
    absl::StrAppend(&out, "\nnote: arm ", arm.arm(), ": ", note, "\n");
  }
}

const AuditPhase& phase_of(const ArmAudit& arm, const std::string& name) {
  if (name == "connection") return arm.connection();
  return name == "first" ? arm.first() : arm.later();
}

std::string title_of(const std::string& phase) {
  if (phase == "connection") return "the connection";
  return phase == "first" ? "the first request" : "later requests";
}

void append_patch(const hotlap::v1::AuditDifference& difference, const ArmAudit& a,
                  const ArmAudit& b, std::string& out) {
  absl::StrAppend(&out, "@@ ", title_of(difference.phase()), ": ",
                  number(difference.a_per_window()), " calls -> ",
                  number(difference.b_per_window()));
  for (const ArmAudit* arm : {&a, &b}) {
    const AuditPhase& phase = phase_of(*arm, difference.phase());
    if (phase.courses_size() > 0 && phase.courses(0).windows() < phase.windows()) {
      absl::StrAppend(&out, ", the course of ", phase.courses(0).windows(), " of ", phase.windows(),
                      " in ", arm->arm());
    }
  }
  absl::StrAppend(&out, " @@\n");
  for (const auto& line : difference.lines()) {
    absl::StrAppendFormat(&out, "%s%8s%8s  %s\n", line.side(),
                          count_text(line.has_a(), line.a(), line.has_b()),
                          count_text(line.has_b(), line.b(), line.has_a()), line.text());
  }
}

// Of phases that are no requests only what differs is shown.
void append_count_differences(const std::string& title, const AuditPhase& a, const AuditPhase& b,
                              bool all, std::string& out) {
  absl::StrAppendFormat(&out, "\n%-28s%10s%10s%12s\n", title, "a", "b", "difference");
  double sum_a = 0;
  double sum_b = 0;
  for (const CountDifference& one : count_differences(a, b)) {
    sum_a += one.a;
    sum_b += one.b;
    const double difference = one.b - one.a;
    const bool same = std::abs(difference) < kShownDifference;
    if (same && !all) continue;
    absl::StrAppendFormat(&out, "  %-26s%10.2f%10.2f%12s\n", one.name, one.a, one.b,
                          same ? "." : absl::StrFormat("%+.2f", difference));
  }
  absl::StrAppendFormat(&out, "  %-26s%10.2f%10.2f%+12.2f\n", "in all", sum_a, sum_b,
                        sum_b - sum_a);
}

}  // namespace

std::string arm_text(const ArmAudit& arm) {
  const bool number_tasks = arm.threads() > 1;
  std::string out = heading(arm);
  append_courses("the connection", arm.connection(), number_tasks, out);
  append_courses("the first request", arm.first(), number_tasks, out);
  append_courses("later requests", arm.later(), number_tasks, out);
  append_counts("calls a later request", arm.later(), " a request", out);
  append_counts(absl::StrFormat("idle, %.2f s", arm.idle().seconds()), arm.idle(), "", out);
  append_counts("start-up", arm.start_up(), "", out);
  append_counts("shutdown", arm.shutdown(), "", out);
  append_notes(arm, out);
  return out;
}

std::string difference_text(const ArmAudit& a, const ArmAudit& b) {
  std::string out = absl::StrCat("--- ", heading(a), "+++ ", heading(b));
  for (const auto& difference : differences(a, b)) append_patch(difference, a, b, out);
  append_count_differences("calls a later request", a.later(), b.later(), true, out);
  append_count_differences("start-up", a.start_up(), b.start_up(), false, out);
  append_count_differences("shutdown", a.shutdown(), b.shutdown(), false, out);
  append_notes(a, out);
  append_notes(b, out);
  return out;
}

}  // namespace hotlap::audit
