#include "harness/verify/verify.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/conformance/check.h"
#include "server/conformance/corpus.h"
#include "server/conformance/reply.h"

namespace hotlap::verify {
namespace {

using conformance::Case;
using conformance::Outcome;
using conformance::Script;

// Longer cases are not sent byte by byte: thousands of rounds that show nothing new.
constexpr size_t kMaxSingleBytes = 600;
constexpr size_t kMaxSplitBytes = 256 * 1024;

struct Plan {
  std::vector<Script> scripts;
  std::vector<const Case*> cases;      // of each script
  std::vector<std::string> described;  // how its bytes are sent
};

Plan plan_for(Depth depth) {
  Plan plan;
  auto add = [&](const Case& one, Script script, std::string described) {
    plan.scripts.push_back(std::move(script));
    plan.cases.push_back(&one);
    plan.described.push_back(std::move(described));
  };
  for (const Case& one : conformance::corpus()) {
    if (depth == Depth::quick && !one.quick) continue;
    add(one, script_for(one), "whole");
    if (depth != Depth::full || one.bytes.size() > kMaxSplitBytes) continue;
    for (size_t point : conformance::split_points(one.bytes)) {
      add(one, script_for(one, std::span(&point, 1)), absl::StrCat("split at byte ", point));
    }
  }
  if (depth != Depth::full) return plan;
  // Last, so that batches hold scripts of a like number of pieces.
  for (const Case& one : conformance::corpus()) {
    if (one.bytes.size() <= kMaxSingleBytes) add(one, script_of_bytes(one), "byte by byte");
  }
  return plan;
}

void add_difference(Report& report, std::string line) {
  if (++report.differences <= Report::kMaxLines) report.lines.push_back(std::move(line));
}

void finish(Report& report) {
  if (report.differences > Report::kMaxLines) {
    report.lines.push_back(
        absl::StrCat("and ", report.differences - Report::kMaxLines, " differences more"));
  }
}

// What outcomes a target gave, or that it is not there.
absl::StatusOr<std::vector<Outcome>> ask(const Target& target, std::span<const Script> scripts,
                                         std::chrono::milliseconds stall) {
  static constexpr std::string_view kHello = "GET /hello HTTP/1.1\r\nHost: verify\r\n\r\n";
  Script hello;
  hello.pieces = {kHello};
  hello.replies = 1;
  hello.probe = false;
  hello.read_to_close = false;
  Outcome answer =
      conformance::run_exchange(target.endpoint, std::span(&hello, 1), {.stall = stall}).front();
  if (answer.received.empty()) {
    return absl::UnavailableError(absl::StrCat(
        "target '", target.name, "' at ", conformance::to_string(target.endpoint),
        " does not answer: ", answer.error.empty() ? "it closed the connection" : answer.error,
        "; is it running, and does it speak HTTP/1.1?"));
  }
  std::vector<Outcome> outcomes =
      conformance::run_exchange(target.endpoint, scripts, {.stall = stall});
  // What could not even be asked is no difference between targets.
  for (const Outcome& outcome : outcomes) {
    if (outcome.unsent) return absl::ResourceExhaustedError(outcome.error);
  }
  return outcomes;
}

std::string describe_case(const Target& target, const Case& one, const std::string& sent) {
  return absl::StrCat(target.name, ": ", one.name, " (HTTP.md ", one.clause, ", ", sent, "): ");
}

// The comparable part of a reply of a server that need not be ours.
std::string essence(const Outcome& outcome, bool head) {
  auto cut = conformance::cut_replies(outcome.received, {head}, outcome.closed);
  if (cut.replies.empty()) {
    std::string why = outcome.error.empty() ? cut.error : outcome.error;
    return absl::StrCat("no reply", why.empty() ? "" : ": ", why);
  }
  auto reply = cut.replies.front();
  std::string_view type = reply.field("Content-Type");
  // Only the body is wanted masked: header fields may differ.
  conformance::Reply masked{reply.status, "\r\n", reply.body};
  std::string out = absl::StrCat("status ", reply.status, ", type ");
  return out.append(type) + ", body " + conformance::mask_reply(masked).substr(2);
}

}  // namespace

absl::StatusOr<Report> verify(std::span<const Target> targets, Depth depth,
                              std::chrono::milliseconds stall) {
  if (targets.empty()) return absl::InvalidArgumentError("verify: no target given; name one");
  Plan plan = plan_for(depth);
  Report report;
  std::vector<std::string> reference;
  for (const Case& one : conformance::corpus()) report.cases += depth != Depth::quick || one.quick;
  for (const Target& target : targets) {
    auto outcomes = ask(target, plan.scripts, stall);
    if (!outcomes.ok()) return outcomes.status();
    report.exchanges += outcomes->size();
    bool first = &target == targets.data();
    for (size_t i = 0; i < outcomes->size(); ++i) {
      const Case& one = *plan.cases[i];
      std::string got = comparable(one, (*outcomes)[i]);
      if (first) reference.push_back(got);
      if (std::string wrong = check_outcome(one, (*outcomes)[i]); !wrong.empty()) {
        add_difference(report, describe_case(target, one, plan.described[i]) + wrong);
      } else if (got != reference[i]) {
        add_difference(report, absl::StrCat(describe_case(target, one, plan.described[i]),
                                            "unlike ", targets[0].name, ", ",
                                            conformance::describe_difference(reference[i], got)));
      }
    }
  }
  finish(report);
  return report;
}

absl::StatusOr<Report> verify_requests(std::span<const Target> targets,
                                       std::span<const std::string> requests,
                                       std::chrono::milliseconds stall) {
  if (targets.empty()) return absl::InvalidArgumentError("verify: no target given; name one");
  std::vector<Script> scripts;
  std::vector<bool> heads;
  for (const std::string& request : requests) {
    Script script;
    script.pieces = {request};
    script.replies = 1;
    heads.push_back(request.starts_with("HEAD "));
    script.heads = {heads.back()};
    script.probe = false;
    script.read_to_close = false;
    scripts.push_back(std::move(script));
  }
  Report report;
  report.cases = requests.size();
  std::vector<std::string> reference;
  for (const Target& target : targets) {
    auto outcomes = ask(target, scripts, stall);
    if (!outcomes.ok()) return outcomes.status();
    report.exchanges += outcomes->size();
    for (size_t i = 0; i < outcomes->size(); ++i) {
      std::string got = essence((*outcomes)[i], heads[i]);
      if (&target == targets.data()) reference.push_back(got);
      bool silent = got.starts_with("no reply");
      if (got == reference[i] && !silent) continue;
      std::string what = silent ? got
                                : absl::StrCat("unlike ", targets[0].name, ", ",
                                               conformance::describe_difference(reference[i], got));
      std::string line = requests[i].substr(0, requests[i].find("\r\n"));
      add_difference(report,
                     absl::StrCat(target.name, ": ", conformance::printable(line), ": ", what));
    }
  }
  finish(report);
  return report;
}

}  // namespace hotlap::verify
