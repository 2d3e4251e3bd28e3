// See open_passes.h.
#include "harness/cli/open_passes.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cli/load_result.h"
#include "harness/cli/time_text.h"
#include "harness/plan/hodges_lehmann.h"
#include "harness/plan/signed_rank.h"
#include "harness/plan/verdict.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::OpenArm;
using hotlap::v1::OpenComparison;
using hotlap::v1::OpenLoop;
using hotlap::v1::OpenPass;
using hotlap::v1::OpenTimes;
using hotlap::v1::Run;
using Json = nlohmann::ordered_json;

constexpr double kAlpha = 0.05;
constexpr double kLeastPassS = 5;
constexpr char kNone[] = "-";

struct Quantile {
  const char* name;
  std::optional<int64_t> (*of)(const OpenTimes&);
};

#define HOTLAP_QUANTILE(field)                                                         \
  [](const OpenTimes& times) {                                                         \
    return times.has_##field() ? std::optional<int64_t>(times.field()) : std::nullopt; \
  }
constexpr Quantile kQuantiles[] = {{"p50", HOTLAP_QUANTILE(p50_ns)},
                                   {"p90", HOTLAP_QUANTILE(p90_ns)},
                                   {"p99", HOTLAP_QUANTILE(p99_ns)},
                                   {"p99.9", HOTLAP_QUANTILE(p999_ns)},
                                   {"max", HOTLAP_QUANTILE(max_ns)}};
constexpr Quantile kCompared[] = {kQuantiles[0], kQuantiles[2]};
#undef HOTLAP_QUANTILE

const OpenArm* arm_of(const OpenPass& pass, uint32_t arm) {
  for (const OpenArm& candidate : pass.arms()) {
    if (candidate.arm() == arm) return &candidate;
  }
  return nullptr;
}

std::string name_of(const Run& run, uint32_t arm) {
  return run.effective().arms(static_cast<int>(arm)).name();
}

// ln(arm / first) of each pass that counts and has both.
std::vector<double> differences(const Run& run, uint32_t arm, const Quantile& quantile) {
  std::vector<double> found;
  for (const OpenPass& pass : run.open_passes()) {
    const OpenArm* const first = arm_of(pass, 0);
    const OpenArm* const other = arm_of(pass, arm);
    if (pass.has_void_cause() || first == nullptr || other == nullptr) continue;
    const auto a = quantile.of(first->response());
    const auto b = quantile.of(other->response());
    if (!a || !b || *a <= 0 || *b <= 0) continue;
    found.push_back(std::log(static_cast<double>(*b) / static_cast<double>(*a)));
  }
  return found;
}

// The result of a load that this pass of an arm was.
LoadResult as_load(const Run& run, const OpenArm& arm) {
  hotlap::v1::LoadResponse line;
  *line.mutable_counts() = arm.counts();
  *line.mutable_effective_open() = run.effective().open_passes().loop();
  *line.mutable_pacing() = arm.pacing();
  line.set_sending_s(arm.sending_s());
  line.set_busiest_thread_share(arm.busiest_thread_share());
  return LoadResult(line);
}

std::string cell(const std::optional<int64_t>& ns) {
  return ns ? time_text(static_cast<double>(*ns)) : kNone;
}

std::string row(const Run& run, const OpenPass& pass, const OpenArm& arm) {
  const auto share = as_load(run, arm).sent_share();
  std::string text = absl::StrFormat("%4u  %-6s%9s", pass.index() + 1, name_of(run, arm.arm()),
                                     share ? absl::StrFormat("%.1f %%", 100 * *share) : kNone);
  for (const Quantile& quantile : kQuantiles) {
    absl::StrAppendFormat(&text, "%10s", cell(quantile.of(arm.response())));
  }
  absl::StrAppendFormat(&text, "%9s", count_text(arm.counts().late()));
  return absl::StrCat(text, pass.has_void_cause() ? " void" : "", "\n");
}

std::string arrivals_text(const OpenLoop& loop) {
  switch (loop.arrivals()) {
    case OpenLoop::POISSON:
      return absl::StrCat("Poisson arrivals, seed ", loop.seed());
    case OpenLoop::BURST:
      return absl::StrCat("bursts of ", loop.burst());
    case OpenLoop::RECORDED:
      return absl::StrFormat("the log's timing at %g times its speed", loop.speed());
    default:
      return "constant arrivals";
  }
}

std::string comparison_text(const OpenComparison& comparison, const std::string& first) {
  return absl::StrFormat(
      "  %s of %s against %s: %+.1f %% (95 %% interval %+.1f to %+.1f, %u passes, p = %.3g)\n",
      comparison.quantile(), comparison.arm(), first, comparison.estimate_percent(),
      comparison.interval_low_percent(), comparison.interval_high_percent(), comparison.passes(),
      comparison.p());
}

Json times_json(const OpenTimes& times) {
  Json object;
  for (const Quantile& quantile : kQuantiles) {
    const auto ns = quantile.of(times);
    object[quantile.name] = ns ? Json(*ns) : Json(nullptr);
  }
  return object;
}

Json arm_json(const Run& run, const OpenPass& pass, const OpenArm& arm) {
  Json object;
  object["pass"] = pass.index();
  object["arm"] = name_of(run, arm.arm());
  object["void"] = pass.has_void_cause() ? Json(pass.void_cause()) : Json(nullptr);
  object["asked_per_s"] = arm.asked_per_s();
  object["sent_per_s"] = arm.sent_per_s();
  object["started"] = arm.counts().started();
  object["ok"] = arm.counts().ok();
  object["failed"] = failures(arm.counts());
  object["late"] = arm.counts().late();
  object["never_sent"] = arm.counts().never_sent();
  object["response_ns"] = times_json(arm.response());
  object["service_ns"] = times_json(arm.service());
  return object;
}

}  // namespace

std::vector<OpenComparison> compare_open_passes(const Run& run) {
  std::vector<OpenComparison> found;
  const auto arms = static_cast<uint32_t>(run.effective().arms_size());
  for (uint32_t arm = 1; arm < arms; ++arm) {
    for (const Quantile& quantile : kCompared) {
      const std::vector<double> d = differences(run, arm, quantile);
      const auto interval = plan::hodges_lehmann_interval(d, kAlpha);
      if (!interval) continue;
      OpenComparison comparison;
      comparison.set_arm(name_of(run, arm));
      comparison.set_quantile(quantile.name);
      comparison.set_passes(static_cast<uint32_t>(d.size()));
      comparison.set_estimate_percent(plan::percent(plan::hodges_lehmann(d)));
      comparison.set_interval_low_percent(plan::percent(interval->low));
      comparison.set_interval_high_percent(plan::percent(interval->high));
      comparison.set_p(plan::symmetry_p(d));
      found.push_back(std::move(comparison));
    }
  }
  return found;
}

std::vector<std::string> open_pass_notes(const Run& run) {
  std::vector<std::string> notes;
  const auto& asked = run.effective().open_passes();
  if (asked.pass_s() < kLeastPassS) {
    notes.push_back(absl::StrFormat("open passes of %g s are short: tails want at least %g s",
                                    asked.pass_s(), kLeastPassS));
  }
  uint32_t kept = 0;
  for (const OpenPass& pass : run.open_passes()) {
    kept += pass.has_void_cause() ? 0 : 1;
    const std::string where = absl::StrCat("open pass ", pass.index() + 1);
    if (pass.has_void_cause()) {
      notes.push_back(absl::StrCat(where, " is void: ", pass.void_cause()));
      continue;
    }
    for (const OpenArm& arm : pass.arms()) {
      for (const std::string& warning : warnings(as_load(run, arm))) {
        notes.push_back(absl::StrCat(where, ", arm ", name_of(run, arm.arm()), ": ", warning));
      }
    }
  }
  if (kept < asked.passes()) {
    notes.push_back(absl::StrCat("only ", kept, " of ", asked.passes(),
                                 " open passes count: the machine was too disturbed for more"));
  }
  return notes;
}

std::string open_passes_text(const Run& run) {
  if (run.open_passes().empty()) return "";
  const auto& asked = run.effective().open_passes();
  std::string text =
      absl::StrFormat("response times in an open loop at %s/s (%s)\n",
                      rate_text(asked.loop().rate_per_s()), arrivals_text(asked.loop()));
  absl::StrAppendFormat(&text, "%4s  %-6s%9s", "pass", "arm", "sent");
  for (const Quantile& quantile : kQuantiles) absl::StrAppendFormat(&text, "%10s", quantile.name);
  absl::StrAppendFormat(&text, "%9s\n", "late");
  for (const OpenPass& pass : run.open_passes()) {
    for (const OpenArm& arm : pass.arms()) text += row(run, pass, arm);
  }
  for (const auto& comparison : run.open_comparisons()) {
    text += comparison_text(comparison, name_of(run, 0));
  }
  if (run.open_comparisons().empty()) {
    absl::StrAppend(&text, "  descriptive only: arms are compared from ", plan::kMinRounds,
                    " passes on (--passes ", plan::kMinRounds, ")\n");
  }
  return text + "\n";
}

std::string open_passes_json(const Run& run) {
  if (run.open_passes().empty()) return "null";
  Json object;
  object["passes"] = Json::array();
  for (const OpenPass& pass : run.open_passes()) {
    for (const OpenArm& arm : pass.arms()) {
      object["passes"].push_back(arm_json(run, pass, arm));
    }
  }
  object["comparisons"] = Json::array();
  for (const OpenComparison& c : run.open_comparisons()) {
    Json one;
    one["arm"] = c.arm();
    one["quantile"] = c.quantile();
    one["passes"] = c.passes();
    one["estimate_percent"] = c.estimate_percent();
    one["interval_percent"] = {c.interval_low_percent(), c.interval_high_percent()};
    one["p"] = c.p();
    object["comparisons"].push_back(std::move(one));
  }
  return object.dump();
}

}  // namespace hotlap::cli
