// Two audits side by side: a phase's usual courses as a diff in the manner of a patch, and the
// calls by name with their differences.
#ifndef HOTLAP_HARNESS_AUDIT_COMPARISON_H_
#define HOTLAP_HARNESS_AUDIT_COMPARISON_H_

#include <optional>
#include <string>
#include <vector>

#include "harness/proto/audit.pb.h"

namespace hotlap::audit {

// One line of a course as it is shown: folded cycles have a line before ("x 61 {") and after.
struct ShownLine {
  std::string text;
  std::optional<double> per_window;  // of a call; brackets have none
};

std::vector<ShownLine> shown_lines(const hotlap::v1::AuditCourse& course, bool number_tasks);

// By the longest common subsequence; lines of a come before those of b. Of courses longer than
// kLongestDifference lines only the beginnings are compared.
inline constexpr size_t kLongestDifference = 2000;
std::vector<hotlap::v1::DifferenceLine> diff(const std::vector<ShownLine>& a,
                                             const std::vector<ShownLine>& b);

// The most frequent course's lines; empty where the phase has none.
std::vector<ShownLine> usual_lines(const hotlap::v1::AuditPhase& phase, bool number_tasks);

// Calls a window of a phase, all names together.
double calls_per_window(const hotlap::v1::AuditPhase& phase);

// Connection, first and later requests, each by its usual course.
std::vector<hotlap::v1::AuditDifference> differences(const hotlap::v1::ArmAudit& a,
                                                     const hotlap::v1::ArmAudit& b);

struct CountDifference {
  std::string name;
  double a = 0;
  double b = 0;
};
// By name, the largest difference first, then by name.
std::vector<CountDifference> count_differences(const hotlap::v1::AuditPhase& a,
                                               const hotlap::v1::AuditPhase& b);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_COMPARISON_H_
