// libFuzzer: any line gives a request, none, or a reason; a request that it gives can be sent as it
// is, and reads the same when it is logged again. Any text is replayed or refused, and its tally
// sums up.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/load/http_text.h"
#include "harness/load/replay_log.h"

namespace hotlap::load {
namespace {

void require(bool held) {
  if (!held) std::abort();
}

std::string escaped(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
    shown += code;
  }
  return shown;
}

void check_line(std::string_view line) {
  LoggedRequest request;
  std::string_view fault;
  const LineKind kind = parse_log_line(line, request, fault);
  require((kind == LineKind::kBad) == !fault.empty());
  if (kind != LineKind::kRequest) return;
  require(is_token(request.method) && is_target(request.target));
  require(request.status >= 0 && request.status <= 999);
  const std::string again = "h - - [10/Oct/2000:13:55:36 +0000] \"" + escaped(request.method) +
                            "\\x20" + escaped(request.target) + " HTTP/1.1\" 200 -";
  LoggedRequest reread;
  require(parse_log_line(again, reread, fault) == LineKind::kRequest);
  require(reread.method == request.method && reread.target == request.target);
}

void check_log(const std::string& text) {
  std::istringstream stream(text);
  std::string error;
  ReplayRules rules;
  rules.allowed_bad_share = 1;
  const auto log = ReplayLog::read(stream, rules, error);
  require((log == nullptr) == !error.empty());
  if (log == nullptr) return;
  const ReplayTally& tally = log->tally();
  require(tally.lines ==
          tally.requests + tally.bad + tally.no_request + tally.without_body + tally.no_replay);
  require(log->timeline()->starts == tally.requests);
  for (std::size_t i = 0; i < log->size(); ++i) {
    require(log->expectation(log->kind(i)) < log->expectations().size());
    require(log->start_line(log->kind(i)).size() <= log->longest());
  }
  Arrivals arrivals;
  arrivals.kind = Arrivals::Kind::kRecorded;
  arrivals.timeline = log->timeline();
  Schedule schedule(arrivals, Share{});
  for (std::int64_t before_ns = 0, i = 0; i < tally.requests; ++i, schedule.advance()) {
    require(schedule.at_ns() >= before_ns);
    before_ns = schedule.at_ns();
  }
}

}  // namespace
}  // namespace hotlap::load

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  hotlap::load::check_line(text);
  hotlap::load::check_log(text);
  return 0;
}
