// `hotlap load`: the closed-loop load generator alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/experiment_flags.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/load/endpoint.h"
#include "harness/load/histogram.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::ErrorCounts;
using hotlap::v1::LoadResponse;

constexpr double kLittleTolerance = 0.05;
constexpr double kQuantiles[] = {0.5, 0.75, 0.9, 0.99, 0.999};

struct LoadFlags {
  std::string url;
  std::string duration = "10s";
  bool json = false;
  bool quiet = false;
  WorkloadFlags workload;
  std::string load_cpus;
};

absl::StatusOr<double> parse_duration_s(const std::string& text) {
  const size_t unit_at = text.find_first_not_of("0123456789.");
  double value = 0;
  const std::string unit = unit_at == std::string::npos ? "s" : text.substr(unit_at);
  const double scale = unit == "s"    ? 1
                       : unit == "ms" ? 1e-3
                       : unit == "m"  ? 60
                       : unit == "h"  ? 3600
                                      : 0;
  if (scale == 0 || !absl::SimpleAtod(text.substr(0, unit_at), &value) || !(value > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--duration \"", text, "\" must read as 500ms, 10s, 2m or 1h"));
  }
  return value * scale;
}

load::Histogram histogram_of(const hotlap::v1::Latency& latency) {
  std::vector<load::Histogram::Bucket> buckets;
  for (const auto& bucket : latency.buckets()) {
    buckets.push_back({bucket.low_ns(), bucket.high_ns(), bucket.count()});
  }
  load::Histogram histogram;
  histogram.merge_buckets(buckets, latency.min_ns(), latency.max_ns(), latency.sum_ns());
  return histogram;
}

std::string time_text(double ns) {
  if (ns < 1e3) return absl::StrFormat("%.0f ns", ns);
  if (ns < 1e6) return absl::StrFormat("%.2f us", ns / 1e3);
  if (ns < 1e9) return absl::StrFormat("%.2f ms", ns / 1e6);
  return absl::StrFormat("%.3f s", ns / 1e9);
}

int64_t failures(const ErrorCounts& counts) {
  return counts.unexpected_status() + counts.unexpected_body() + counts.connect() + counts.reset() +
         counts.timeout() + counts.protocol() + counts.tls();
}

void print_text(const LoadFlags& flags, const LoadResponse& result) {
  const ErrorCounts& counts = result.counts();
  const load::Histogram histogram = histogram_of(result.latency());
  printf("closed loop: %u threads, %u connections, %.2f s at %s\n", result.effective().threads(),
         result.connections(), result.elapsed_s(), flags.url.c_str());
  const double rate = static_cast<double>(counts.ok()) / result.elapsed_s();
  printf("  throughput  %s requests/s   %s received/s\n", absl::StrFormat("%.0f", rate).c_str(),
         absl::StrFormat("%.2f MB",
                         static_cast<double>(result.bytes_received()) / result.elapsed_s() / 1e6)
             .c_str());
  if (histogram.count() > 0) printf("  response time");
  for (double q : kQuantiles) {
    const auto value = histogram.supported_quantile_ns(q);
    if (!value) continue;
    printf("  p%g %s", q * 100, time_text(static_cast<double>(*value)).c_str());
  }
  if (histogram.count() > 0) {
    printf("  max %s", time_text(static_cast<double>(*histogram.max_ns())).c_str());
  }
  if (histogram.count() > 0) printf("\n");
  printf("  requests    %ld started, %ld ok", static_cast<long>(counts.started()),
         static_cast<long>(counts.ok()));
  const std::pair<const char*, int64_t> classes[] = {
      {"unexpected status", counts.unexpected_status()},
      {"unexpected body", counts.unexpected_body()},
      {"connect", counts.connect()},
      {"reset", counts.reset()},
      {"timeout", counts.timeout()},
      {"protocol", counts.protocol()},
      {"TLS", counts.tls()},
      {"in flight at the end", counts.in_flight()}};
  for (const auto& [name, count] : classes) {
    if (count > 0) printf(", %ld %s", static_cast<long>(count), name);
  }
  if (counts.ok() > 0) {
    printf("\n  generator   %.2f us CPU/request",
           static_cast<double>(result.generator_cpu_ns()) / static_cast<double>(counts.ok()) / 1e3);
  }
  if (counts.ok() > 0 && result.has_little_ratio()) {
    printf("; Little's law X*R/N = %.3f", result.little_ratio());
    if (std::fabs(result.little_ratio() - 1) > kLittleTolerance) {
      printf("\n  warning     that is off 1 by more than 5 %%: connections were not always busy");
    }
  }
  printf("\n");
}

void print_json(const LoadFlags& flags, const LoadResponse& result) {
  const ErrorCounts& counts = result.counts();
  const load::Histogram histogram = histogram_of(result.latency());
  nlohmann::ordered_json object;
  object["schema"] = 1;
  object["url"] = flags.url;
  object["loop"] = "closed";
  object["threads"] = result.effective().threads();
  object["connections"] = result.connections();
  object["elapsed_s"] = result.elapsed_s();
  object["throughput_per_s"] = static_cast<double>(counts.ok()) / result.elapsed_s();
  object["bytes_received"] = result.bytes_received();
  object["generator_cpu_ns"] = result.generator_cpu_ns();
  object["little_ratio"] = result.has_little_ratio() ? nlohmann::ordered_json(result.little_ratio())
                                                     : nlohmann::ordered_json(nullptr);
  object["requests"] = {{"started", counts.started()},
                        {"ok", counts.ok()},
                        {"unexpected_status", counts.unexpected_status()},
                        {"unexpected_body", counts.unexpected_body()},
                        {"connect", counts.connect()},
                        {"reset", counts.reset()},
                        {"timeout", counts.timeout()},
                        {"protocol", counts.protocol()},
                        {"tls", counts.tls()},
                        {"in_flight", counts.in_flight()}};
  auto& latency = object["response_time_ns"];
  for (double q : kQuantiles) {
    const auto value = histogram.supported_quantile_ns(q);
    latency[absl::StrCat("p", q * 100)] =
        value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  }
  latency["max"] = histogram.max_ns() ? nlohmann::ordered_json(*histogram.max_ns())
                                      : nlohmann::ordered_json(nullptr);
  object["first_failure"] = result.first_failure();
  printf("%s\n", object.dump(2).c_str());
}

absl::StatusOr<hotlap::v1::LoadRequest> request_of(const LoadFlags& flags) {
  std::string error;
  const auto url = load::parse_url(flags.url, error);
  if (!url) return absl::InvalidArgumentError(error);
  WorkloadFlags asked = flags.workload;
  if (asked.requests.empty()) asked.requests.push_back(url->target);
  auto workload = asked.workload();
  if (!workload.ok()) return workload.status();
  auto duration_s = parse_duration_s(flags.duration);
  if (!duration_s.ok()) return duration_s.status();
  auto cpus = parse_cpu_list(flags.load_cpus);
  if (!cpus.ok()) return cpus.status();
  hotlap::v1::LoadRequest request;
  request.set_url(absl::StrCat("http://", url->endpoint.text()));
  *request.mutable_workload() = *std::move(workload);
  request.set_duration_s(*duration_s);
  request.mutable_placement()->mutable_load_cpus()->Add(cpus->begin(), cpus->end());
  return request;
}

int run_load(const LoadFlags& flags) {
  auto request = request_of(flags);
  if (!request.ok()) return fail(std::string(request.status().message()));
  Interrupt interrupt;
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  Progress progress(flags.quiet || flags.json ? Progress::Style::kSilent
                                              : Progress::style_of_stderr());
  grpc::ClientContext context;
  Interrupt::Call call(interrupt, context);
  auto reader = (*agent)->stub().Load(&context, *request);
  LoadResponse line;
  LoadResponse last;
  while (reader->Read(&line)) {
    if (line.final()) {
      last = line;
      continue;
    }
    progress.update(
        absl::StrFormat("%s of %s: %.0f requests/s, %d failed", duration_text(line.elapsed_s()),
                        duration_text(request->duration_s()),
                        static_cast<double>(line.counts().ok()) / std::max(line.elapsed_s(), 1e-9),
                        failures(line.counts())));
  }
  progress.clear();
  const grpc::Status status = reader->Finish();
  if (interrupt.raised()) return kExitInterrupted;
  if (!status.ok()) return fail(status.error_message());
  flags.json ? print_json(flags, last) : print_text(flags, last);
  const int64_t failed = failures(last.counts());
  const double allowed = last.effective().allowed_error_share();
  if (static_cast<double>(failed) <= allowed * static_cast<double>(last.counts().started())) {
    return kExitDone;
  }
  return fail(absl::StrCat(failed, " of ", last.counts().started(), " requests failed; the first: ",
                           last.first_failure(), " (--allow-errors accepts a share)"));
}

}  // namespace

void add_load_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("load", "load a running server, closed loop");
  command->footer("Example: hotlap load -t 1 -c 64 -d 10s http://127.0.0.1:8080/hello");
  auto flags = std::make_shared<LoadFlags>();
  command->add_option("URL", flags->url, "http://HOST:PORT/TARGET")->required();
  command->add_option("-d,--duration", flags->duration, "500ms, 10s, 2m")->default_str("10s");
  command->add_option("--load-cpus", flags->load_cpus, "CPUs of the load threads");
  command->add_flag("--json", flags->json, "print one JSON object");
  command->add_flag("--quiet", flags->quiet, "no progress");
  flags->workload.add_to(*command);
  command->callback([flags, &invocation] { invocation.exit_code = run_load(*flags); });
}

}  // namespace hotlap::cli
