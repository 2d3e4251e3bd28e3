// The JSON object of `hotlap load --json`; its schema is load.schema.json.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cli/load_report.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::OpenLoop;
using Json = nlohmann::ordered_json;

constexpr int kSchema = 3;
constexpr double kQuantiles[] = {0.5, 0.75, 0.9, 0.99, 0.999, 0.9999};

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json times_json(const load::Histogram& times) {
  Json object;
  object["count"] = times.count();
  object["mean"] = or_null(times.mean_ns());
  object["min"] = or_null(times.min_ns());
  for (const double q : kQuantiles) {
    object[absl::StrFormat("p%g", q * 100)] = or_null(times.supported_quantile_ns(q));
  }
  object["max"] = or_null(times.max_ns());
  return object;
}

std::string arrivals_name(const OpenLoop& open) {
  switch (open.arrivals()) {
    case OpenLoop::POISSON:
      return "poisson";
    case OpenLoop::BURST:
      return "burst";
    case OpenLoop::RECORDED:
      return "recorded";
    default:
      return "constant";
  }
}

Json open_json(const LoadResult& result) {
  if (!result.open()) return nullptr;
  const OpenLoop& open = result.line.effective_open();
  const auto& counts = result.line.counts();
  Json object;
  object["arrivals"] = arrivals_name(open);
  object["burst"] = open.arrivals() == OpenLoop::BURST ? Json(open.burst()) : Json(nullptr);
  object["seed"] = open.has_seed() ? Json(open.seed()) : Json(nullptr);
  object["speed"] = open.has_speed() ? Json(open.speed()) : Json(nullptr);
  object["most_waiting"] = open.most_waiting();
  object["asked_per_s"] = open.rate_per_s();
  object["sent_per_s"] = result.sent_per_s();
  object["sent_share"] = or_null(result.sent_share());
  object["planned"] = counts.started();
  object["on_time"] = counts.started() - counts.late() - counts.never_sent();
  object["late"] = counts.late();
  object["never_sent"] = counts.never_sent();
  return object;
}

Json ids_json(const LoadResult& result) {
  if (!result.line.effective().has_ids()) return nullptr;
  const auto& ids = result.line.effective().ids();
  const bool random = ids.kind() == hotlap::v1::Ids::RANDOM;
  Json object;
  object["kind"] = random ? "random" : "sequence";
  object["first"] = ids.first();
  object["last"] = ids.last();
  object["width"] = ids.width();
  object["seed"] = random ? Json(ids.seed()) : Json(nullptr);
  return object;
}

Json replay_json(const LoadResult& result) {
  if (!result.line.effective().has_replay()) return nullptr;
  const auto& tally = result.line.replay();
  Json object;
  object["path"] = result.line.effective().replay().path();
  object["lines"] = tally.lines();
  object["requests"] = tally.requests();
  object["bad"] = tally.bad();
  object["no_request"] = tally.no_request();
  object["without_body"] = tally.without_body();
  object["no_replay"] = tally.no_replay();
  object["distinct"] = tally.distinct();
  object["out_of_order"] = tally.out_of_order();
  object["first_bad_line"] = tally.bad() > 0 ? Json(tally.first_bad_line()) : Json(nullptr);
  object["first_bad"] = tally.first_bad();
  object["length_s"] = tally.length_s();
  return object;
}

Json pacing_json(const LoadResult& result) {
  if (!result.line.has_pacing()) return nullptr;
  const auto& pacing = result.line.pacing();
  Json object;
  object["lateness_p99_ns"] = pacing.lateness_p99_ns();
  object["lateness_max_ns"] = pacing.lateness_max_ns();
  object["worst_gap_ns"] = pacing.worst_gap_ns();
  object["gap_distance"] = pacing.has_gap_distance() ? Json(pacing.gap_distance()) : Json(nullptr);
  return object;
}

Json tls_json(const hotlap::v1::LoadResponse& line) {
  if (!line.has_tls()) return nullptr;
  Json object;
  object["handshakes"] = line.tls().handshakes();
  object["resumed"] = line.tls().resumed();
  object["protocol"] = line.tls().protocol();
  object["cipher"] = line.tls().cipher();
  return object;
}

}  // namespace

std::string load_json(const LoadFlags& flags, const LoadResult& result) {
  const auto& line = result.line;
  Json object;
  object["schema"] = kSchema;
  object["urls"] = flags.urls;
  object["address"] = line.address();
  object["loop"] = result.open() ? "open" : "closed";
  object["threads"] = line.effective().threads();
  object["connections"] = {{"asked", line.effective().connections()},
                           {"achieved", line.connections()}};
  object["pipeline"] = line.effective().pipeline();
  object["ids"] = ids_json(result);
  object["replay"] = replay_json(result);
  object["elapsed_s"] = line.elapsed_s();
  object["sending_s"] = line.sending_s();
  object["interrupted"] = line.stopped();
  object["throughput_per_s"] = result.throughput_per_s();
  object["bytes_received"] = line.bytes_received();
  auto& requests = object["requests"];
  requests["started"] = line.counts().started();
  for (const auto& [name, count] : classes(line.counts())) requests[name] = count;
  object["timeouts"] = {{"connect", line.counts().timeout_connect()},
                        {"first_byte", line.counts().timeout_first_byte()},
                        {"whole", line.counts().timeout_whole()}};
  object["open"] = open_json(result);
  object["response_time_ns"] = times_json(result.response);
  object["service_time_ns"] = result.open() ? times_json(result.service) : Json(nullptr);
  object["failure_time_ns"] = times_json(result.failures);
  object["connect_time_ns"] = times_json(result.connecting);
  object["tls"] = tls_json(line);
  object["generator_cpu_ns"] = line.generator_cpu_ns();
  object["busiest_thread_share"] = line.busiest_thread_share();
  object["pacing"] = pacing_json(result);
  object["little_ratio"] = line.has_little_ratio() ? Json(line.little_ratio()) : Json(nullptr);
  object["first_failure"] = line.first_failure();
  object["open_error"] = line.open_error();
  object["warnings"] = warnings(result);
  return absl::StrCat(object.dump(2, ' ', false, Json::error_handler_t::replace), "\n");
}

}  // namespace hotlap::cli
