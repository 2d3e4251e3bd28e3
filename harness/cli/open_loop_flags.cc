// See open_loop_flags.h.
#include "harness/cli/open_loop_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/cli/stream_flags.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::OpenLoop;

absl::Status set_arrivals(const std::string& text, OpenLoop& open) {
  uint32_t burst = 0;
  if (text.empty() || text == "constant") {
    open.set_arrivals(OpenLoop::CONSTANT);
  } else if (text == "poisson") {
    open.set_arrivals(OpenLoop::POISSON);
  } else if (absl::StartsWith(text, "burst:") && absl::SimpleAtoi(text.substr(6), &burst) &&
             burst > 0) {
    open.set_arrivals(OpenLoop::BURST);
    open.set_burst(burst);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "--arrivals \"", text, "\" is not one of constant, poisson, burst:N (N at once)"));
  }
  return absl::OkStatus();
}

absl::Status set_catch_up(const std::string& text, OpenLoop& open) {
  uint64_t most = 0;
  if (text.empty() || text == "bounded") return absl::OkStatus();
  if (text == "none") {
    open.set_most_waiting(0);
  } else if (absl::StartsWith(text, "bounded:") && absl::SimpleAtoi(text.substr(8), &most) &&
             most > 0) {
    open.set_most_waiting(most);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "--catch-up \"", text, "\" is not one of none, bounded, bounded:N (N requests may wait)"));
  }
  return absl::OkStatus();
}

// "2x", "0.5".
absl::Status set_speed(const std::string& text, OpenLoop& open) {
  double speed = 0;
  const std::string number = absl::EndsWith(text, "x") ? text.substr(0, text.size() - 1) : text;
  if (!absl::SimpleAtod(number, &speed) || !(speed > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--replay-speed \"", text, "\" must read as 1, 2x or 0.5x"));
  }
  open.set_arrivals(OpenLoop::RECORDED);
  open.set_speed(speed);
  return absl::OkStatus();
}

}  // namespace

void OpenLoopFlags::add_to(CLI::App& command, const std::string& of_rate) {
  command.add_option("-R,--rate", rate_per_s, of_rate);
  command.add_option("--arrivals", arrivals,
                     "with --rate: constant, poisson or burst:N (default constant)");
  command.add_option("--catch-up", catch_up,
                     "with --rate: what is due while every connection is busy waits (bounded:N, at "
                     "most N requests; bounded: ten seconds of the rate, the default) or is never "
                     "sent (none)");
  command.add_option("--replay-speed", replay_speed,
                     "with --replay, in place of --rate: an open loop by the log's own timing, "
                     "1 or so many times as fast (2x), until the log's end");
}

absl::Status OpenLoopFlags::check(bool asked) const {
  if (!asked) {
    const std::string why = "it belongs to the open loop, which --rate asks for";
    if (!arrivals.empty()) return no_effect("--arrivals", why);
    if (!catch_up.empty()) return no_effect("--catch-up", why);
  }
  if (recorded() && rate_per_s) {
    return absl::InvalidArgumentError("give either --rate or --replay-speed, not both");
  }
  if (recorded() && !arrivals.empty()) {
    return no_effect("--arrivals", "--replay-speed goes by the log's own timing");
  }
  return absl::OkStatus();
}

absl::StatusOr<OpenLoop> OpenLoopFlags::loop(double default_rate_per_s) const {
  OpenLoop open;
  absl::Status status;
  if (recorded()) {
    status = set_speed(replay_speed, open);
  } else {
    open.set_rate_per_s(rate_per_s.value_or(default_rate_per_s));
    status = set_arrivals(arrivals, open);
  }
  if (status.ok()) status = set_catch_up(catch_up, open);
  if (!status.ok()) return status;
  return open;
}

}  // namespace hotlap::cli
