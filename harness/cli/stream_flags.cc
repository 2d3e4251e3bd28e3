// See stream_flags.h.
#include "harness/cli/stream_flags.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "harness/load/ids.h"

namespace hotlap::cli {

absl::Status no_effect(const std::string& flag, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " would have no effect: ", why));
}

void StreamFlags::add_to(CLI::App& command) {
  command.add_option("--ids", ids,
                     "what {id} in a target, header or body stands for: random:1..1000000 or "
                     "seq:1..500, seq:1.. without end (0001..1000: with zeros before)");
  command.add_flag("--same-body", same_body, "with --ids: the bodies are one and the same");
  command.add_option("--replay", replay_path,
                     "ask what this access log holds (common or combined format), in its order, "
                     "again and again; replies must have the logged status");
  command.add_option("--replay-bodies", replay_bodies,
                     "with --replay: POST, PUT and PATCH, whose bodies no log has, are left out "
                     "(skip, the default) or sent without (empty)");
  command.add_option("--expect", expect,
                     "with --replay: the right status is the logged one (logged, the default), or "
                     "any");
  command.add_option("--allow-bad-lines", allowed_bad_share,
                     "with --replay: share of lines that may be none of such a log (default 0.01)");
}

absl::Status StreamFlags::apply_ids(hotlap::v1::Workload& workload) const {
  std::string error;
  const auto range = load::parse_ids(ids, error);
  if (!range) return absl::InvalidArgumentError(absl::StrCat("--ids: ", error));
  auto& message = *workload.mutable_ids();
  message.set_kind(random_ids() ? hotlap::v1::Ids::RANDOM : hotlap::v1::Ids::SEQUENCE);
  message.set_first(range->first);
  message.set_last(range->last);
  message.set_width(static_cast<uint32_t>(range->width));
  for (auto& request : *workload.mutable_requests()) request.set_same_body(same_body);
  return absl::OkStatus();
}

absl::Status StreamFlags::apply_replay(hotlap::v1::Workload& workload) const {
  const std::string why = "--replay names what to ask";
  for (const auto& request : workload.requests()) {
    if (!request.body().empty()) return no_effect("--body", why);
    if (request.any_body()) return no_effect("--any-body", "no log holds bodies to compare");
    if (request.has_expected_status()) {
      return no_effect("--expect-status", "the log has each request's; --expect any takes all");
    }
  }
  auto& replay = *workload.mutable_replay();
  // The agent may be elsewhere.
  replay.set_path(std::filesystem::absolute(replay_path).lexically_normal().string());
  if (replay_bodies == "empty") {
    replay.set_bodies(hotlap::v1::Replay::EMPTY);
  } else if (!replay_bodies.empty() && replay_bodies != "skip") {
    return absl::InvalidArgumentError(
        absl::StrCat("--replay-bodies \"", replay_bodies, "\" is not one of skip, empty"));
  }
  if (expect == "any") {
    replay.set_any_status(true);
  } else if (!expect.empty() && expect != "logged") {
    return absl::InvalidArgumentError(
        absl::StrCat("--expect \"", expect, "\" is not one of logged, any"));
  }
  if (allowed_bad_share) replay.set_allowed_bad_share(*allowed_bad_share);
  return absl::OkStatus();
}

absl::Status StreamFlags::apply(hotlap::v1::Workload& workload) const {
  if (same_body && ids.empty()) return no_effect("--same-body", "only --ids lets bodies differ");
  if (!replay_path.empty() && !ids.empty()) {
    return absl::InvalidArgumentError("give either --ids or --replay, not both");
  }
  if (!ids.empty()) return apply_ids(workload);
  if (!replay_path.empty()) return apply_replay(workload);
  const std::string why = "it belongs to --replay";
  if (!replay_bodies.empty()) return no_effect("--replay-bodies", why);
  if (!expect.empty()) return no_effect("--expect", why);
  if (allowed_bad_share) return no_effect("--allow-bad-lines", why);
  return absl::OkStatus();
}

}  // namespace hotlap::cli
