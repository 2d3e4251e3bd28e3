// From flags to a LoadRequest; see load_flags.h.
#include "harness/cli/load_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::LoadRequest;
using hotlap::v1::OpenLoop;

constexpr double kMsPerS = 1e3;
constexpr double kFirstRatePerS = 1000;  // of a search

absl::Status check_effects(const LoadFlags& flags) {
  const bool open = flags.open.asked() || !flags.promise.empty();
  absl::Status status = flags.open.check(open);
  if (!status.ok()) return status;
  if (!open && !flags.seed.empty() && !flags.stream.random_ids()) {
    return no_effect("--seed", "nothing is drawn but --ids random:… and poisson arrivals (--rate)");
  }
  if (!flags.promise.empty()) {
    const std::string why = "a search makes many loads";
    if (!flags.hgrm_path.empty()) return no_effect("--hgrm", why);
    if (!flags.csv_path.empty()) return no_effect("--csv", why);
    if (flags.distribution) return no_effect("--latency", why);
    if (flags.requests) return no_effect("--requests", why);
    if (flags.open.recorded()) return no_effect("--replay-speed", "the search sets the rate");
  }
  if (!flags.seed.empty() && flags.open.arrivals != "poisson" && !flags.stream.random_ids()) {
    return no_effect("--seed", "only --arrivals poisson and --ids random:… draw anything");
  }
  if (flags.open.recorded() && flags.stream.replay_path.empty()) {
    return no_effect("--replay-speed", "it belongs to --replay");
  }
  if (flags.promise.empty() && !flags.out_path.empty()) {
    return no_effect("--out", "it keeps the curve of --max-rate-within");
  }
  if (!flags.csv_path.empty() && flags.csv_path == flags.hgrm_path) {
    return absl::InvalidArgumentError("--csv and --hgrm would write the same file");
  }
  if (flags.json && flags.distribution) {
    return no_effect("--latency", "--json prints every quantile anyway");
  }
  if (!flags.weights.empty() && flags.urls.size() < 2) {
    return no_effect("--weights", "there is one URL only");
  }
  if (!flags.workload.requests.empty() && flags.urls.size() > 1) {
    return absl::InvalidArgumentError("give either several URLs or --request, not both");
  }
  if (!flags.stream.replay_path.empty()) {
    if (!flags.workload.requests.empty()) {
      return no_effect("--request", "--replay names what to ask");
    }
    if (!flags.ask.method.empty()) return no_effect("--method", "--replay names what to ask");
    if (!flags.ask.expect_sha256.empty() || flags.ask.expect_length) {
      return absl::InvalidArgumentError(
          "--replay's bodies differ: they have no one length or hash");
    }
    if (flags.urls.size() > 1) return absl::InvalidArgumentError("--replay asks one URL's server");
  }
  if (flags.host_option != nullptr && !flags.host_option->empty() &&
      (flags.host.empty() || flags.host.find_first_of(" \t\r\n") != std::string::npos)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--host \"", flags.host, "\" is no name of a host"));
  }
  if (!flags.timeout.empty() && flags.workload.timeout_ms) {
    return absl::InvalidArgumentError("give either --timeout or --timeout-ms, not both");
  }
  for (const std::string& header : flags.workload.headers) {
    if (!flags.host.empty() && absl::StartsWithIgnoreCase(header, "host:")) {
      return absl::InvalidArgumentError("give either --host or --header \"Host: …\", not both");
    }
  }
  return flags.ask.check(flags.workload);
}

// Of whatever is drawn.
absl::Status set_seed(const std::string& text, LoadRequest& request) {
  if (text.empty()) return absl::OkStatus();
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(text, &seed)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--seed \"", text, "\" must be a whole number from 0 to 2^64 - 1"));
  }
  if (request.open().arrivals() == OpenLoop::POISSON) request.mutable_open()->set_seed(seed);
  if (request.workload().ids().kind() == hotlap::v1::Ids::RANDOM) {
    request.mutable_workload()->mutable_ids()->set_seed(seed);
  }
  return absl::OkStatus();
}

void add_host(const std::string& host, hotlap::v1::Request& request) {
  for (const auto& header : request.headers()) {
    if (absl::EqualsIgnoreCase(header.name(), "host")) return;
  }
  auto* header = request.add_headers();
  header->set_name("Host");
  header->set_value(host);
}

absl::StatusOr<uint32_t> milliseconds(const std::string& flag, const std::string& text) {
  auto duration_s = parse_duration_s(flag, text);
  if (!duration_s.ok()) return duration_s.status();
  return static_cast<uint32_t>(std::min(std::ceil(*duration_s * kMsPerS), 4e9));
}

// The URLs' targets, or what --request asks for, each with the Host that it should have.
absl::StatusOr<hotlap::v1::Workload> workload_of(const LoadFlags& flags,
                                                 const std::vector<load::Url>& urls) {
  WorkloadFlags asked = flags.workload;
  const bool by_url = asked.requests.empty();
  const bool replays = !flags.stream.replay_path.empty();
  for (size_t i = 0; i < urls.size(); ++i) {
    if (by_url) asked.requests.push_back(urls[i].target);
    if ((!by_url || replays) && urls[i].target != "/") {
      return no_effect(absl::StrCat("the target in ", flags.urls[i]),
                       absl::StrCat(replays ? "--replay" : "--request", " names what to ask"));
    }
  }
  if (!flags.timeout.empty()) {
    auto timeout_ms = milliseconds("--timeout", flags.timeout);
    if (!timeout_ms.ok()) return timeout_ms.status();
    asked.timeout_ms = *timeout_ms;
  }
  auto workload = asked.workload();
  if (!workload.ok()) return workload;
  absl::Status status = flags.ask.set(*workload);
  if (status.ok()) status = flags.stream.apply(*workload);
  if (!status.ok()) return status;
  for (int i = 0; i < workload->requests_size(); ++i) {
    auto& request = *workload->mutable_requests(i);
    const size_t url = by_url ? static_cast<size_t>(i) : 0;
    add_host(flags.host.empty() ? urls[url].authority : flags.host, request);
    if (!flags.weights.empty()) request.set_weight(flags.weights[url]);
  }
  return workload;
}

// Those of a part of a request must be shorter than that of all of it.
absl::Status set_part_timeouts(const LoadFlags& flags, LoadRequest& request) {
  constexpr uint32_t kDefaultMs = 5000;
  const auto& workload = request.workload();
  const uint32_t whole_ms = workload.has_timeout_ms() ? workload.timeout_ms() : kDefaultMs;
  const auto part = [&](const std::string& flag,
                        const std::string& text) -> absl::StatusOr<uint32_t> {
    auto part_ms = milliseconds(flag, text);
    if (part_ms.ok() && *part_ms >= whole_ms) {
      return no_effect(flag, absl::StrCat("a request has ", whole_ms, " ms in all (--timeout)"));
    }
    return part_ms;
  };
  if (!flags.connect_timeout.empty()) {
    auto connect_ms = part("--connect-timeout", flags.connect_timeout);
    if (!connect_ms.ok()) return connect_ms.status();
    request.set_connect_timeout_ms(*connect_ms);
  }
  if (!flags.first_byte_timeout.empty()) {
    auto first_byte_ms = part("--first-byte-timeout", flags.first_byte_timeout);
    if (!first_byte_ms.ok()) return first_byte_ms.status();
    request.set_first_byte_timeout_ms(*first_byte_ms);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<double> parse_duration_s(const std::string& flag, const std::string& text) {
  const size_t unit_at = text.find_first_not_of("0123456789.");
  double value = 0;
  const std::string unit = unit_at == std::string::npos ? "s" : text.substr(unit_at);
  const double scale = unit == "s"    ? 1
                       : unit == "ms" ? 1e-3
                       : unit == "us" ? 1e-6
                       : unit == "m"  ? 60
                       : unit == "h"  ? 3600
                                      : 0;
  if (scale == 0 || !absl::SimpleAtod(text.substr(0, unit_at), &value) || !(value > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " \"", text, "\" must read as 500ms, 10s, 2m or 1h"));
  }
  return value * scale;
}

void LoadFlags::add_to(CLI::App& command) {
  command
      .add_option("URL", urls,
                  "http://HOST:PORT/TARGET or https://…; several are asked for in turn")
      ->required();
  command.add_option("--weights", weights, "how often each URL is asked for, as 3,1")
      ->delimiter(',')
      ->allow_extra_args(false);
  duration_option = command
                        .add_option("-d,--duration", duration,
                                    "500ms, 10s, 2m (with --replay-speed: the log's length)")
                        ->default_str("10s");
  command
      .add_option("-n,--requests", requests,
                  "end when so many have been answered, or at an explicit --duration")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000'000}));
  open.add_to(command, "open loop: start so many requests a second, whatever the server does");
  command.add_option("--max-rate-within", promise,
                     "search the highest rate that keeps a promise such as p99<5ms, in loads of "
                     "--duration each, beginning at --rate (default 1000)");
  command.add_option("--out", out_path,
                     "with --max-rate-within: keep the search here, with a page of its curve");
  command.add_option("--seed", seed, "of poisson arrivals and random ids (default: drawn, told)");
  command.add_option("--timeout", timeout, "as --timeout-ms, but 2s or 500ms");
  command.add_option("--connect-timeout", connect_timeout,
                     "a request that has no connection by then, TLS included, fails, as 200ms "
                     "(default: its time-out)");
  command.add_option("--first-byte-timeout", first_byte_timeout,
                     "likewise one that has no byte of its reply");
  host_option = command.add_option("--host", host, "the Host header (default: as the URL says)");
  command.add_option("--load-cpus", load_cpus, "CPUs of the load threads");
  command.add_flag("--latency", distribution, "print the whole distribution of times");
  command.add_flag("--json", json, "print one JSON object (harness/cli/load.schema.json)");
  command.add_option("--hgrm", hgrm_path,
                     "write response times as an HdrHistogram percentile file");
  command.add_option("--csv", csv_path, "write one row a second");
  command.add_flag("--quiet", quiet, "no progress");
  stream.add_to(command);
  place.add_to(command);
  ask.add_to(command);
  workload.add_to(command);
}

absl::StatusOr<LoadRequest> LoadFlags::request() const {
  absl::Status status = check_effects(*this);
  if (!status.ok()) return status;
  if (!weights.empty() && weights.size() != urls.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--weights has ", weights.size(), " numbers for ", urls.size(), " URLs"));
  }
  LoadRequest request;
  auto parsed = parse_urls(urls);
  if (!parsed.ok()) return parsed.status();
  auto work = workload_of(*this, *parsed);
  if (!work.ok()) return work.status();
  *request.mutable_workload() = *std::move(work);
  status = place.set(*parsed, request);
  if (status.ok()) status = set_part_timeouts(*this, request);
  if (!status.ok()) return status;
  auto duration_s = parse_duration_s("--duration", duration);
  if (!duration_s.ok()) return duration_s.status();
  const bool bounded_otherwise = open.recorded() || requests.has_value();
  const bool no_duration = duration_option != nullptr && duration_option->empty();
  request.set_duration_s(bounded_otherwise && no_duration ? 0 : *duration_s);
  if (requests) request.set_requests(*requests);
  auto cpus = parse_cpu_list(load_cpus);
  if (!cpus.ok()) return cpus.status();
  request.mutable_placement()->mutable_load_cpus()->Add(cpus->begin(), cpus->end());
  if (open.asked() || !promise.empty()) {
    auto loop = open.loop(kFirstRatePerS);
    if (!loop.ok()) return loop.status();
    *request.mutable_open() = *std::move(loop);
  }
  status = set_seed(seed, request);
  if (!status.ok()) return status;
  return request;
}

}  // namespace hotlap::cli
