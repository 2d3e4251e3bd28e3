// From flags to a LoadRequest; see load_flags.h.
#include "harness/cli/load_flags.h"

#include <cmath>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/load/endpoint.h"

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
    if (flags.open.recorded()) return no_effect("--replay-speed", "the search sets the rate");
  }
  if (!flags.seed.empty() && flags.open.arrivals != "poisson" && !flags.stream.random_ids()) {
    return no_effect("--seed", "only --arrivals poisson and --ids random:… draw anything");
  }
  if (flags.open.recorded() && flags.stream.replay_path.empty()) {
    return no_effect("--replay-speed", "it belongs to --replay");
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
    if (flags.urls.size() > 1) return absl::InvalidArgumentError("--replay asks one URL's server");
  }
  if (!flags.connect_to.empty() && !flags.unix_path.empty()) {
    return absl::InvalidArgumentError("give either --connect-to or --unix, not both");
  }
  if (!flags.timeout.empty() && flags.workload.timeout_ms) {
    return absl::InvalidArgumentError("give either --timeout or --timeout-ms, not both");
  }
  for (const std::string& header : flags.workload.headers) {
    if (!flags.host.empty() && absl::StartsWithIgnoreCase(header, "host:")) {
      return absl::InvalidArgumentError("give either --host or --header \"Host: …\", not both");
    }
  }
  return absl::OkStatus();
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

// Where the connections go: one place, whatever the URLs say that it is called.
absl::StatusOr<std::string> endpoint_of(const LoadFlags& flags) {
  std::string error;
  std::optional<load::Endpoint> endpoint;
  if (!flags.unix_path.empty()) {
    const std::string path = std::filesystem::absolute(flags.unix_path).string();
    endpoint = load::Endpoint::parse(absl::StrCat("unix:", path), error);
  } else if (!flags.connect_to.empty()) {
    endpoint = load::Endpoint::parse(flags.connect_to, error);
  } else {
    for (const std::string& text : flags.urls) {
      const auto url = load::parse_url(text, error);
      if (!url) break;
      if (endpoint && endpoint->text() != url->endpoint.text()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the URLs name two servers, ", endpoint->text(), " and ", url->endpoint.text(),
            ": a load is of one; --connect-to HOST:PORT sends them all to the same"));
      }
      endpoint = url->endpoint;
    }
  }
  if (!error.empty() || !endpoint) return absl::InvalidArgumentError(error);
  return endpoint->text();
}

void add_host(const std::string& host, hotlap::v1::Request& request) {
  for (const auto& header : request.headers()) {
    if (absl::EqualsIgnoreCase(header.name(), "host")) return;
  }
  auto* header = request.add_headers();
  header->set_name("Host");
  header->set_value(host);
}

// The URLs' targets, or what --request asks for, each with the Host that it should have.
absl::StatusOr<hotlap::v1::Workload> workload_of(const LoadFlags& flags) {
  WorkloadFlags asked = flags.workload;
  std::vector<std::string> authorities;
  const bool by_url = asked.requests.empty();
  for (const std::string& text : flags.urls) {
    std::string error;
    const auto url = load::split_url(text, error);
    if (!url) return absl::InvalidArgumentError(error);
    authorities.push_back(url->authority);
    if (by_url) asked.requests.push_back(url->target);
    if (!flags.stream.replay_path.empty() && url->target != "/") {
      return no_effect(absl::StrCat("the target in ", text), "--replay names what to ask");
    }
    if (!by_url && url->target != "/") {
      return no_effect(absl::StrCat("the target in ", text), "--request names what to ask");
    }
  }
  if (!flags.timeout.empty()) {
    auto timeout_s = parse_duration_s("--timeout", flags.timeout);
    if (!timeout_s.ok()) return timeout_s.status();
    asked.timeout_ms = static_cast<uint32_t>(std::min(std::ceil(*timeout_s * kMsPerS), 4e9));
  }
  auto workload = asked.workload();
  if (!workload.ok()) return workload;
  absl::Status streamed = flags.stream.apply(*workload);
  if (!streamed.ok()) return streamed;
  const bool elsewhere = !flags.connect_to.empty() || !flags.unix_path.empty();
  for (int i = 0; i < workload->requests_size(); ++i) {
    auto& request = *workload->mutable_requests(i);
    const size_t url = by_url ? static_cast<size_t>(i) : 0;
    if (!flags.host.empty()) {
      add_host(flags.host, request);
    } else if (elsewhere) {
      add_host(authorities[url], request);
    }
    if (!flags.weights.empty()) request.set_weight(flags.weights[url]);
  }
  return workload;
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
  command.add_option("URL", urls, "http://HOST:PORT/TARGET; several are asked for in turn")
      ->required();
  command.add_option("--weights", weights, "how often each URL is asked for, as 3,1")
      ->delimiter(',')
      ->allow_extra_args(false);
  duration_option = command
                        .add_option("-d,--duration", duration,
                                    "500ms, 10s, 2m (with --replay-speed: the log's length)")
                        ->default_str("10s");
  open.add_to(command, "open loop: start so many requests a second, whatever the server does");
  command.add_option("--max-rate-within", promise,
                     "search the highest rate that keeps a promise such as p99<5ms, in loads of "
                     "--duration each, beginning at --rate (default 1000)");
  command.add_option("--seed", seed, "of poisson arrivals and random ids (default: drawn, told)");
  command.add_option("--timeout", timeout, "as --timeout-ms, but 2s or 500ms");
  command.add_option("--host", host, "the Host header (default: as the URL says)");
  command.add_option("--connect-to", connect_to, "connect to HOST:PORT, whatever the URL says");
  command.add_option("--unix", unix_path, "connect to this Unix socket");
  command.add_option("--load-cpus", load_cpus, "CPUs of the load threads");
  command.add_flag("--latency", distribution, "print the whole distribution of times");
  command.add_flag("--json", json, "print one JSON object (harness/cli/load.schema.json)");
  command.add_option("--hgrm", hgrm_path,
                     "write response times as an HdrHistogram percentile file");
  command.add_option("--csv", csv_path, "write one row a second");
  command.add_flag("--quiet", quiet, "no progress");
  stream.add_to(command);
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
  auto work = workload_of(*this);
  if (!work.ok()) return work.status();
  *request.mutable_workload() = *std::move(work);
  auto endpoint = endpoint_of(*this);
  if (!endpoint.ok()) return endpoint.status();
  request.set_endpoint(*endpoint);
  auto duration_s = parse_duration_s("--duration", duration);
  if (!duration_s.ok()) return duration_s.status();
  const bool by_log = open.recorded() && duration_option != nullptr && duration_option->empty();
  request.set_duration_s(by_log ? 0 : *duration_s);
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
