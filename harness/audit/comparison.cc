// See comparison.h.
#include "harness/audit/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"

namespace hotlap::audit {
namespace {

using hotlap::v1::ArmAudit;
using hotlap::v1::AuditDifference;
using hotlap::v1::AuditPhase;
using hotlap::v1::DifferenceLine;

DifferenceLine line_of(const char* side, const ShownLine* a, const ShownLine* b) {
  DifferenceLine line;
  line.set_side(side);
  line.set_text(a != nullptr ? a->text : b->text);
  if (a != nullptr && a->per_window) line.set_a(*a->per_window);
  if (b != nullptr && b->per_window) line.set_b(*b->per_window);
  return line;
}

AuditDifference difference(const char* phase, const AuditPhase& a, const AuditPhase& b,
                           bool number_tasks) {
  AuditDifference found;
  found.set_phase(phase);
  found.set_a_per_window(calls_per_window(a));
  found.set_b_per_window(calls_per_window(b));
  for (DifferenceLine& line : diff(usual_lines(a, number_tasks), usual_lines(b, number_tasks))) {
    *found.add_lines() = std::move(line);
  }
  return found;
}

}  // namespace

std::vector<ShownLine> shown_lines(const hotlap::v1::AuditCourse& course, bool number_tasks) {
  std::vector<ShownLine> lines;
  for (const auto& step : course.steps()) {
    const bool bracketed = step.times() > 1 && step.lines_size() > 1;
    if (bracketed) lines.push_back({absl::StrCat("x ", step.times(), " {"), std::nullopt});
    for (const auto& line : step.lines()) {
      std::string text = bracketed ? "  " : "";
      if (number_tasks) absl::StrAppend(&text, "[", line.task(), "] ");
      absl::StrAppend(&text, line.call());
      if (!bracketed && step.times() > 1) absl::StrAppend(&text, "  x ", step.times());
      lines.push_back({std::move(text), line.per_window()});
    }
    if (bracketed) lines.push_back({"}", std::nullopt});
  }
  return lines;
}

std::vector<ShownLine> usual_lines(const hotlap::v1::AuditPhase& phase, bool number_tasks) {
  if (phase.courses_size() == 0) return {};
  return shown_lines(phase.courses(0), number_tasks);
}

std::vector<DifferenceLine> diff(const std::vector<ShownLine>& a, const std::vector<ShownLine>& b) {
  const size_t rows = std::min(a.size(), kLongestDifference);
  const size_t columns = std::min(b.size(), kLongestDifference);
  // common[i][j]: length of the longest common subsequence of a from i on and b from j on.
  std::vector<std::vector<uint32_t>> common(rows + 1, std::vector<uint32_t>(columns + 1, 0));
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      common[i][j] = a[i].text == b[j].text ? common[i + 1][j + 1] + 1
                                            : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<DifferenceLine> lines;
  size_t i = 0;
  size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[i].text == b[j].text) {
      lines.push_back(line_of(" ", &a[i], &b[j]));
      ++i;
      ++j;
    } else if (i < rows && (j == columns || common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back(line_of("-", &a[i], nullptr));
      ++i;
    } else {
      lines.push_back(line_of("+", nullptr, &b[j]));
      ++j;
    }
  }
  return lines;
}

double calls_per_window(const hotlap::v1::AuditPhase& phase) {
  double sum = 0;
  for (const auto& count : phase.calls()) sum += count.per_window();
  return sum;
}

std::vector<AuditDifference> differences(const ArmAudit& a, const ArmAudit& b) {
  const bool number_tasks = a.threads() > 1 || b.threads() > 1;
  return {difference("connection", a.connection(), b.connection(), number_tasks),
          difference("first", a.first(), b.first(), number_tasks),
          difference("later", a.later(), b.later(), number_tasks)};
}

std::vector<CountDifference> count_differences(const hotlap::v1::AuditPhase& a,
                                               const hotlap::v1::AuditPhase& b) {
  std::map<std::string, CountDifference> by_name;
  for (const auto& count : a.calls()) by_name[count.name()].a = count.per_window();
  for (const auto& count : b.calls()) by_name[count.name()].b = count.per_window();
  std::vector<CountDifference> differences;
  for (auto& [name, difference] : by_name) {
    difference.name = name;
    differences.push_back(difference);
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const CountDifference& x, const CountDifference& y) {
                     return std::abs(x.b - x.a) > std::abs(y.b - y.a);
                   });
  return differences;
}

}  // namespace hotlap::audit
