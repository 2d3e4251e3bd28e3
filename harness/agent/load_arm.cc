// Messages to the generator's terms and back; see load_arm.h.
#include "harness/agent/load_arm.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/agent/replay.h"
#include "harness/load/request_template.h"

namespace hotlap::agent {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

load::BodyRule body_rule(const load::RequestSpec& spec, const hotlap::v1::Request& request,
                         bool ids) {
  if (request.any_body()) return load::BodyRule::kAny;
  if (request.has_expected_length() && request.expected_sha256().empty()) {
    return load::BodyRule::kAny;  // of that length
  }
  if (request.has_expected_body()) return load::BodyRule::kExact;
  // Bodies may differ from id to id.
  if (ids && load::has_place(spec) && !request.same_body()) return load::BodyRule::kAny;
  // The lab's /address names the peer's port, which differs from connection to connection.
  if (request.target() == "/address") return load::BodyRule::kLearnedPerConnection;
  return load::BodyRule::kLearned;
}

// Letters and digits in no order that a compressor would find, the same for every load.
std::string generated_body(uint64_t bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string body(bytes, '\0');
  uint64_t state = 0x9e3779b97f4a7c15;
  for (char& letter : body) {
    // Marsaglia's xorshift64.
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    letter = kLetters[state >> 58];
  }
  return body;
}

}  // namespace

load::Ids ids_of(const hotlap::v1::Ids& ids) {
  load::Ids wanted;
  wanted.kind =
      ids.kind() == hotlap::v1::Ids::RANDOM ? load::Ids::Kind::kRandom : load::Ids::Kind::kSequence;
  wanted.first = ids.first();
  wanted.last = ids.last();
  wanted.width = static_cast<int>(ids.width());
  wanted.seed = ids.seed();
  return wanted;
}

absl::StatusOr<load::ArmSpec> load_arm(const std::string& endpoint,
                                       const hotlap::v1::Workload& workload,
                                       std::shared_ptr<const load::ReplayLog> log) {
  std::string error;
  auto parsed = load::Endpoint::parse(endpoint, error);
  if (!parsed) return absl::InvalidArgumentError(error);
  return load_arm(*parsed, workload, std::move(log));
}

absl::StatusOr<load::ArmSpec> load_arm(const load::Endpoint& endpoint,
                                       const hotlap::v1::Workload& workload,
                                       std::shared_ptr<const load::ReplayLog> log) {
  load::ArmSpec spec{.endpoint = endpoint, .requests = {}};
  for (const auto& request : workload.requests()) {
    load::RequestSpec wanted;
    wanted.method = request.method();
    wanted.target = request.target();
    for (const auto& header : request.headers()) {
      wanted.headers.emplace_back(header.name(), header.value());
    }
    wanted.body = request.generated_body_bytes() > 0
                      ? generated_body(request.generated_body_bytes())
                      : request.body();
    wanted.expected_status = static_cast<int>(request.expected_status());
    wanted.body_rule = body_rule(wanted, request, workload.has_ids());
    wanted.expected_body = request.expected_body();
    if (request.has_expected_length()) wanted.expected_length = request.expected_length();
    wanted.expected_sha256 = request.expected_sha256();
    wanted.weight = static_cast<int>(request.weight());
    spec.requests.push_back(std::move(wanted));
  }
  if (workload.has_ids()) spec.ids = ids_of(workload.ids());
  if (log == nullptr) {
    auto read = read_replay(workload);
    if (!read.ok()) return read.status();
    log = *std::move(read);
  }
  spec.replay = std::move(log);
  spec.connections = static_cast<int>(workload.connections());
  spec.keep_alive = workload.keep_alive();
  spec.pipeline = static_cast<int>(workload.pipeline());
  spec.timeout_ns = int64_t{workload.timeout_ms()} * kNsPerMs;
  return spec;
}

absl::StatusOr<load::ArmSpec> load_arm(const targets::TargetProcess& target,
                                       const hotlap::v1::Workload& workload,
                                       std::shared_ptr<const load::ReplayLog> log) {
  auto spec = load_arm(target.endpoint().to_string(), workload, std::move(log));
  if (!spec.ok() || !speaks_tls(target.echo())) return spec;
  load::TlsSpec tls;
  tls.verify = false;
  tls.resume = true;
  spec->tls = tls;
  return spec;
}

bool speaks_tls(const std::string& echo) { return absl::StrContains(echo, "transport=tls"); }

bool resumes_sessions(const std::string& echo) {
  return absl::StrContains(echo, "transport=tls_resumed");
}

void add_counts(const load::Counts& counts, hotlap::v1::ErrorCounts& sum) {
  using load::Outcome;
  sum.set_started(sum.started() + counts.started);
  sum.set_ok(sum.ok() + counts[Outcome::kOk]);
  sum.set_unexpected_status(sum.unexpected_status() + counts[Outcome::kUnexpectedStatus]);
  sum.set_unexpected_body(sum.unexpected_body() + counts[Outcome::kUnexpectedBody]);
  sum.set_connect(sum.connect() + counts[Outcome::kConnect]);
  sum.set_reset(sum.reset() + counts[Outcome::kReset]);
  sum.set_timeout(sum.timeout() + counts[Outcome::kTimeout]);
  sum.set_timeout_connect(sum.timeout_connect() + counts.timeout(load::Wait::kConnection));
  sum.set_timeout_first_byte(sum.timeout_first_byte() + counts.timeout(load::Wait::kFirstByte));
  sum.set_timeout_whole(sum.timeout_whole() + counts.timeout(load::Wait::kWholeReply));
  sum.set_protocol(sum.protocol() + counts[Outcome::kProtocol]);
  sum.set_tls(sum.tls() + counts[Outcome::kTls]);
  sum.set_in_flight(sum.in_flight() + counts[Outcome::kInFlight]);
  sum.set_never_sent(sum.never_sent() + counts[Outcome::kNeverSent]);
  sum.set_late(sum.late() + counts.late);
}

hotlap::v1::Latency latency_message(const load::Histogram& histogram) {
  hotlap::v1::Latency latency;
  for (const auto& bucket : histogram.buckets()) {
    auto* message = latency.add_buckets();
    message->set_low_ns(bucket.low_ns);
    message->set_high_ns(bucket.high_ns);
    message->set_count(bucket.count);
  }
  latency.set_min_ns(histogram.min_ns().value_or(0));
  latency.set_max_ns(histogram.max_ns().value_or(0));
  latency.set_sum_ns(histogram.sum_ns());
  return latency;
}

absl::Status check_errors(const std::string& arm, const hotlap::v1::ErrorCounts& counts,
                          double allowed_share) {
  const std::pair<const char*, int64_t> classes[] = {
      {"unexpected status", counts.unexpected_status()},
      {"unexpected body", counts.unexpected_body()},
      {"connect", counts.connect()},
      {"reset", counts.reset()},
      {"timeout", counts.timeout()},
      {"protocol", counts.protocol()},
      {"TLS", counts.tls()}};
  int64_t failed = 0;
  std::vector<std::string> parts;
  for (const auto& [name, count] : classes) {
    failed += count;
    if (count > 0) parts.push_back(absl::StrCat(count, " ", name));
  }
  const auto started = static_cast<double>(counts.started());
  if (failed == 0 || static_cast<double>(failed) <= allowed_share * started) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat("arm ", arm, ": ", failed, " of ",
                                                    counts.started(), " requests failed (",
                                                    absl::StrJoin(parts, ", "), ")"));
}

}  // namespace hotlap::agent
