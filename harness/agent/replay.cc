// See replay.h.
#include "harness/agent/replay.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hotlap::agent {

absl::StatusOr<std::shared_ptr<const load::ReplayLog>> read_replay(
    const hotlap::v1::Workload& workload) {
  if (!workload.has_replay()) return std::shared_ptr<const load::ReplayLog>();
  const auto& replay = workload.replay();
  load::ReplayRules rules;
  rules.any_status = replay.any_status();
  rules.empty_bodies = replay.bodies() == hotlap::v1::Replay::EMPTY;
  rules.allowed_bad_share = replay.allowed_bad_share();
  std::string error;
  auto log = load::ReplayLog::read(replay.path(), rules, error);
  if (log == nullptr) return absl::InvalidArgumentError(error);
  return log;
}

hotlap::v1::ReplayTally tally_message(const load::ReplayLog& log) {
  const load::ReplayTally& tally = log.tally();
  hotlap::v1::ReplayTally message;
  message.set_lines(tally.lines);
  message.set_requests(tally.requests);
  message.set_bad(tally.bad);
  message.set_no_request(tally.no_request);
  message.set_without_body(tally.without_body);
  message.set_no_replay(tally.no_replay);
  message.set_distinct(tally.distinct);
  message.set_out_of_order(tally.out_of_order);
  message.set_first_bad_line(tally.first_bad_line);
  message.set_first_bad(tally.first_bad);
  message.set_length_s(log.timeline()->length_s());
  return message;
}

std::string replay_text(const std::string& path, const hotlap::v1::ReplayTally& tally) {
  std::vector<std::string> left_out;
  if (tally.bad() > 0) {
    left_out.push_back(absl::StrCat(tally.bad(), " bad lines (the first is line ",
                                    tally.first_bad_line(), ": ", tally.first_bad(), ")"));
  }
  if (tally.no_request() > 0) {
    left_out.push_back(absl::StrCat(tally.no_request(), " without an HTTP request"));
  }
  if (tally.without_body() > 0) {
    left_out.push_back(absl::StrCat(tally.without_body(), " that need a body"));
  }
  if (tally.no_replay() > 0) {
    left_out.push_back(absl::StrCat(tally.no_replay(), " tunnels and upgrades"));
  }
  std::string text = absl::StrCat("replays ", tally.requests(), " requests (", tally.distinct(),
                                  " distinct) over ", tally.length_s(), " s of ", path);
  if (!left_out.empty()) absl::StrAppend(&text, "; left out: ", absl::StrJoin(left_out, ", "));
  if (tally.out_of_order() > 0) {
    absl::StrAppend(&text, "; ", tally.out_of_order(), " put before later ones, by their time");
  }
  return text;
}

}  // namespace hotlap::agent
