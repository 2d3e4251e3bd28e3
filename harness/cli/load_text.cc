// The table that `hotlap load` prints.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "harness/agent/replay.h"
#include "harness/cli/load_report.h"
#include "harness/cli/time_text.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::OpenLoop;

constexpr size_t kColumns = 80;
constexpr double kShownQuantiles[] = {0.5, 0.75, 0.9, 0.99, 0.999};
constexpr double kAllQuantiles[] = {0.0,  0.1,   0.25,   0.5,     0.75,     0.9,
                                    0.99, 0.999, 0.9999, 0.99999, 0.999999, 1.0};
constexpr char kNone[] = "-";

// "  label       text", broken between words so that no line is wider than a terminal.
std::string labelled(std::string_view label, const std::string& text) {
  std::string lines = absl::StrFormat("  %-11s", std::string(label));
  size_t column = lines.size();
  for (const auto word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (column + 1 + word.size() > kColumns) {
      absl::StrAppend(&lines, "\n", std::string(13, ' '));
      column = 13;
    }
    absl::StrAppend(&lines, " ", word);
    column += 1 + word.size();
  }
  return lines + "\n";
}

std::string quantile_text(const load::Histogram& times, double q) {
  const auto value = q < 1 ? times.supported_quantile_ns(q) : times.max_ns();
  return value ? time_text(static_cast<double>(*value)) : kNone;
}

std::string table_row(const std::string& label, const load::Histogram& times) {
  std::string row = absl::StrFormat("  %-18s", label);
  for (const double q : kShownQuantiles)
    absl::StrAppendFormat(&row, "%10s", quantile_text(times, q));
  absl::StrAppendFormat(&row, "%10s\n", quantile_text(times, 1));
  return row;
}

std::string table(const LoadResult& result) {
  std::string text = absl::StrFormat("\n  %-18s", "");
  for (const double q : kShownQuantiles) {
    absl::StrAppendFormat(&text, "%10s", absl::StrFormat("p%g", q * 100));
  }
  absl::StrAppendFormat(&text, "%10s\n", "max");
  absl::StrAppend(&text, table_row("response time", result.response));
  if (result.open()) absl::StrAppend(&text, table_row("service time", result.service));
  if (result.failures.count() > 0) {
    absl::StrAppend(&text, table_row("until a failure", result.failures));
  }
  if (result.connecting.count() > 0) {
    absl::StrAppend(&text, table_row("connecting", result.connecting));
  }
  if (result.open()) {
    absl::StrAppend(&text,
                    "  (response: from the planned start, waiting included; service: from the "
                    "send)\n");
  }
  return text + "\n";
}

std::string distribution(const LoadResult& result) {
  std::string text = absl::StrFormat("  %-18s%16s", "distribution", "response");
  if (result.open()) absl::StrAppendFormat(&text, "%16s", "service");
  text += "\n";
  for (const double q : kAllQuantiles) {
    const auto cell = [q](const load::Histogram& times) {
      const auto least = times.min_ns();
      return q > 0 ? quantile_text(times, q)
                   : (least ? time_text(static_cast<double>(*least)) : kNone);
    };
    absl::StrAppendFormat(&text, "  %-18s%16s", absl::StrFormat("%.7g %%", q * 100),
                          cell(result.response));
    if (result.open()) absl::StrAppendFormat(&text, "%16s", cell(result.service));
    text += "\n";
  }
  return text + "\n";
}

std::string loop_text(const LoadResult& result) {
  if (!result.open()) return "closed loop";
  const OpenLoop& open = result.line.effective_open();
  switch (open.arrivals()) {
    case OpenLoop::POISSON:
      return absl::StrCat("open loop, Poisson arrivals (seed ", open.seed(), ")");
    case OpenLoop::BURST:
      return absl::StrCat("open loop, bursts of ", open.burst());
    case OpenLoop::RECORDED:
      return absl::StrFormat("open loop, by the log's timing at %g times its speed", open.speed());
    default:
      return "open loop, constant arrivals";
  }
}

std::string counted(uint32_t count, const char* noun) {
  return absl::StrCat(count_text(count), " ", noun, count == 1 ? "" : "s");
}

std::string head(const LoadFlags& flags, const LoadResult& result) {
  const auto& line = result.line;
  std::string connections = counted(line.connections(), "connection");
  if (line.connections() != line.effective().connections()) {
    connections = absl::StrCat(count_text(line.connections()), " of ",
                               counted(line.effective().connections(), "connection"));
  }
  std::string text =
      absl::StrFormat("%s: %s, %s, %.2f s\n", loop_text(result),
                      counted(line.effective().threads(), "thread"), connections, line.elapsed_s());
  for (const std::string& url : flags.urls) {
    // Where that is, unless the URL says it.
    const bool says_it = line.address().empty() || absl::StrContains(url, line.address());
    const std::string place = says_it ? "" : absl::StrCat(" (", line.address(), ")");
    absl::StrAppend(&text, "  ", url, place, "\n");
  }
  return text;
}

std::string rate_line(const LoadResult& result) {
  const auto& line = result.line;
  const double bytes_per_s =
      line.elapsed_s() > 0 ? static_cast<double>(line.bytes_received()) / line.elapsed_s() : 0;
  std::string text;
  if (const auto share = result.sent_share()) {
    text = absl::StrFormat("asked %s/s, sent %s/s (%.1f %%), ",
                           rate_text(line.effective_open().rate_per_s()),
                           rate_text(result.sent_per_s()), 100 * *share);
  }
  return absl::StrCat(text, "right replies ", rate_text(result.throughput_per_s()), "/s, ",
                      absl::StrFormat("%.2f MB/s", bytes_per_s / 1e6));
}

// What they waited for.
std::string timeout_text(const hotlap::v1::ErrorCounts& counts) {
  const std::pair<const char*, int64_t> waits[] = {{"connecting", counts.timeout_connect()},
                                                   {"first byte", counts.timeout_first_byte()},
                                                   {"rest of the reply", counts.timeout_whole()}};
  std::vector<std::string> parts;
  for (const auto& [wait, count] : waits) {
    if (count > 0) parts.push_back(absl::StrCat(count_text(count), " ", wait));
  }
  return parts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(parts, ", "), ")");
}

std::string tls_line(const LoadResult& result) {
  const auto& tls = result.line.tls();
  if (tls.handshakes() == 0) return "no handshake succeeded";
  return absl::StrCat(tls.protocol(), ", ", tls.cipher(), ", ", count_text(tls.handshakes()),
                      tls.handshakes() == 1 ? " handshake, " : " handshakes, ",
                      count_text(tls.resumed()), " resumed");
}

std::string class_line(const LoadResult& result) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : classes(result.line.counts())) {
    if (count == 0 && name != "ok") continue;
    parts.push_back(absl::StrCat(count_text(count), " ", absl::StrReplaceAll(name, {{"_", " "}})));
    if (name == "timeout") absl::StrAppend(&parts.back(), timeout_text(result.line.counts()));
  }
  return absl::StrCat(count_text(result.line.counts().started()),
                      " started: ", absl::StrJoin(parts, ", "));
}

std::string send_line(const LoadResult& result) {
  const auto& counts = result.line.counts();
  return absl::StrCat(count_text(counts.started()), " planned: ",
                      count_text(counts.started() - counts.late() - counts.never_sent()),
                      " on time, ", count_text(counts.late()), " late, ",
                      count_text(counts.never_sent()), " never sent");
}

// What was asked where it was not always the same; empty where it was.
std::string stream_line(const LoadResult& result) {
  const auto& workload = result.line.effective();
  if (workload.has_replay()) {
    std::string text = agent::replay_text(workload.replay().path(), result.line.replay());
    const auto started = static_cast<double>(result.line.counts().started());
    const auto size = static_cast<double>(result.line.replay().requests());
    if (started > size) absl::StrAppendFormat(&text, "; asked %.1f times over", started / size);
    return text;
  }
  if (!workload.has_ids()) return "";
  const auto& ids = workload.ids();
  const bool random = ids.kind() == hotlap::v1::Ids::RANDOM;
  std::string text = absl::StrCat("ids ", ids.first(), " to ", ids.last(),
                                  random ? ", random" : ", one after the other");
  if (random) absl::StrAppend(&text, " (seed ", ids.seed(), ")");
  return text;
}

std::string generator_line(const LoadResult& result) {
  const auto& line = result.line;
  std::string text = absl::StrFormat("%.0f %% busy", 100 * line.busiest_thread_share());
  if (line.counts().ok() > 0) {
    absl::StrAppendFormat(&text, ", %.2f us CPU/request",
                          static_cast<double>(line.generator_cpu_ns()) /
                              static_cast<double>(line.counts().ok()) / 1e3);
  }
  if (line.has_little_ratio() && line.counts().ok() > 0) {
    absl::StrAppendFormat(&text, ", Little's law X*R/N = %.3f", line.little_ratio());
  }
  if (!line.has_pacing()) return text;
  const auto& pacing = line.pacing();
  absl::StrAppend(&text, ", late by p99 ", time_text(static_cast<double>(pacing.lateness_p99_ns())),
                  " max ", time_text(static_cast<double>(pacing.lateness_max_ns())));
  if (pacing.has_gap_distance()) {
    absl::StrAppendFormat(&text, ", gaps' KS distance %.3f", pacing.gap_distance());
  } else {
    absl::StrAppend(&text, ", gaps off by at most ",
                    time_text(static_cast<double>(pacing.worst_gap_ns())));
  }
  return text;
}

}  // namespace

std::string load_text(const LoadFlags& flags, const LoadResult& result) {
  std::string text = head(flags, result);
  if (!result.line.open_error().empty()) return text;
  absl::StrAppend(&text, table(result));
  if (flags.distribution) absl::StrAppend(&text, distribution(result));
  if (const std::string stream = stream_line(result); !stream.empty()) {
    absl::StrAppend(&text, labelled("stream", stream));
  }
  absl::StrAppend(&text, labelled("rate", rate_line(result)));
  if (result.open()) absl::StrAppend(&text, labelled("sends", send_line(result)));
  absl::StrAppend(&text, labelled("requests", class_line(result)));
  if (result.line.has_tls()) absl::StrAppend(&text, labelled("tls", tls_line(result)));
  absl::StrAppend(&text, labelled("generator", generator_line(result)));
  for (const std::string& sentence : warnings(result)) {
    absl::StrAppend(&text, labelled("warning", sentence));
  }
  return text;
}

}  // namespace hotlap::cli
