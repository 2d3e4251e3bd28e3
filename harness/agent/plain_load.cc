// From the request to a generator's plan, and from its report to messages.
#include "harness/agent/plain_load.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/agent/effective.h"
#include "harness/agent/load_arm.h"
#include "harness/load/generator.h"
#include "harness/load/resolve.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::LoadRequest;
using hotlap::v1::LoadResponse;
using hotlap::v1::OpenLoop;

constexpr double kNsPerS = 1e9;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr double kMaxLoadS = 24 * 3600;
constexpr double kMaxRatePerS = 1e8;
constexpr uint32_t kMaxBurst = 1'000'000;
constexpr double kDefaultWaitS = 10;
constexpr int64_t kProgressEveryNs = 1'000'000'000;

load::Arrivals arrivals_of(const OpenLoop& open) {
  using Kind = load::Arrivals::Kind;
  load::Arrivals arrivals;
  arrivals.kind = open.arrivals() == OpenLoop::POISSON ? Kind::kPoisson
                  : open.arrivals() == OpenLoop::BURST ? Kind::kBurst
                                                       : Kind::kConstant;
  arrivals.rate_per_s = open.rate_per_s();
  arrivals.burst = std::max<int64_t>(open.burst(), 1);
  arrivals.seed = open.seed();
  return arrivals;
}

hotlap::v1::Pacing pacing_message(const load::Pacing& pacing) {
  hotlap::v1::Pacing message;
  message.set_lateness_p99_ns(pacing.lateness.quantile_ns(0.99).value_or(0));
  message.set_lateness_max_ns(pacing.lateness.max_ns().value_or(0));
  message.set_worst_gap_ns(pacing.worst_gap_ns);
  if (const auto distance = pacing.gap_distance()) message.set_gap_distance(*distance);
  message.set_gaps(pacing.gap_count());
  return message;
}

LoadResponse line_of(const load::LoadProgress& progress) {
  LoadResponse line;
  line.set_elapsed_s(static_cast<double>(progress.elapsed_ns) / kNsPerS);
  add_counts(progress.counts, *line.mutable_counts());
  line.set_bytes_received(progress.bytes_received);
  auto& recent = *line.mutable_recent();
  const load::Histogram& response = progress.since_last.response;
  const load::Histogram& service = progress.since_last.service;
  if (const auto ns = response.supported_quantile_ns(0.5)) recent.set_response_p50_ns(*ns);
  if (const auto ns = response.supported_quantile_ns(0.99)) recent.set_response_p99_ns(*ns);
  if (const auto ns = response.max_ns()) recent.set_response_max_ns(*ns);
  if (const auto ns = service.supported_quantile_ns(0.5)) recent.set_service_p50_ns(*ns);
  if (const auto ns = service.supported_quantile_ns(0.99)) recent.set_service_p99_ns(*ns);
  return line;
}

void fill(const load::LoadReport& report, LoadResponse& response) {
  response.set_elapsed_s(static_cast<double>(report.wall_ns) / kNsPerS);
  response.set_sending_s(static_cast<double>(report.sending_ns) / kNsPerS);
  add_counts(report.counts, *response.mutable_counts());
  *response.mutable_latency() = latency_message(report.times.response);
  *response.mutable_failures() = latency_message(report.times.failures);
  *response.mutable_connecting() = latency_message(report.times.connecting);
  if (report.tls_handshakes > 0) {
    auto& tls = *response.mutable_tls();
    tls.set_handshakes(report.tls_handshakes);
    tls.set_resumed(report.tls_resumed);
    tls.set_protocol(report.tls_protocol);
    tls.set_cipher(report.tls_cipher);
  }
  response.set_bytes_received(report.bytes_received);
  response.set_generator_cpu_ns(report.generator_cpu_ns);
  response.set_busiest_thread_share(report.busiest_thread_share);
  if (report.little_ratio) response.set_little_ratio(*report.little_ratio);
  if (!report.pacing) return;
  *response.mutable_service() = latency_message(report.times.service);
  *response.mutable_pacing() = pacing_message(*report.pacing);
}

load::TlsSpec tls_spec(const hotlap::v1::TlsOptions& options) {
  load::TlsSpec spec;
  spec.verify = !options.insecure();
  spec.trusted_pem = options.trusted_pem();
  spec.resume = !options.no_resume();
  spec.server_name = options.server_name();
  return spec;
}

absl::StatusOr<load::ArmSpec> load_arm_of(const LoadRequest& request,
                                          const hotlap::v1::Workload& workload) {
  std::string error;
  const std::vector<load::Endpoint> places = load::resolve(request.endpoint(), error);
  if (places.empty()) return absl::InvalidArgumentError(error);
  const int64_t connect_ms = request.has_connect_timeout_ms() ? request.connect_timeout_ms()
                                                              : int64_t{workload.timeout_ms()};
  const auto place = load::first_that_answers(places, connect_ms * kNsPerMs, error);
  if (!place) return absl::UnavailableError(error);
  auto spec = load_arm(*place, workload);
  if (!spec.ok()) return spec;
  spec->connect_timeout_ns = connect_ms * kNsPerMs;
  spec->first_byte_timeout_ns = int64_t{request.first_byte_timeout_ms()} * kNsPerMs;
  if (request.has_tls()) spec->tls = tls_spec(request.tls());
  return spec;
}

}  // namespace

absl::StatusOr<OpenLoop> effective_open_loop(const OpenLoop& asked) {
  OpenLoop open = asked;
  if (!(open.rate_per_s() > 0 && open.rate_per_s() <= kMaxRatePerS)) {
    return absl::InvalidArgumentError(absl::StrCat("rate ", open.rate_per_s(),
                                                   " must be above 0 and at most ", kMaxRatePerS,
                                                   " requests a second"));
  }
  const bool bursts = open.arrivals() == OpenLoop::BURST;
  if (bursts && (open.burst() < 1 || open.burst() > kMaxBurst)) {
    return absl::InvalidArgumentError(
        absl::StrCat("burst ", open.burst(), " must be 1 to ", kMaxBurst, " requests"));
  }
  if (open.arrivals() == OpenLoop::POISSON && !open.has_seed())
    open.set_seed(std::random_device()());
  if (!open.has_most_waiting()) {
    open.set_most_waiting(static_cast<uint64_t>(std::ceil(open.rate_per_s() * kDefaultWaitS)));
  }
  // More than any load can plan; the generator counts in signed numbers.
  open.set_most_waiting(std::min<uint64_t>(open.most_waiting(), uint64_t{1} << 53));
  return open;
}

absl::Status plain_load(const LoadRequest& request, Cancellation& cancellation, Cancellation& stop,
                        const std::function<bool(const LoadResponse&)>& tell) {
  auto workload = effective_workload(request.workload());
  if (!workload.ok()) return workload.status();
  if (!(request.duration_s() > 0 && request.duration_s() <= kMaxLoadS)) {
    return absl::InvalidArgumentError(
        absl::StrCat("duration ", request.duration_s(), " s must be above 0 and at most a day"));
  }
  LoadResponse last;
  load::LoadPlan plan;
  plan.progress_every_ns = kProgressEveryNs;
  plan.duration_ns = std::llround(request.duration_s() * kNsPerS);
  if (request.has_open()) {
    auto open = effective_open_loop(request.open());
    if (!open.ok()) return open.status();
    plan.open = load::OpenLoop{arrivals_of(*open), static_cast<int64_t>(open->most_waiting())};
    *last.mutable_effective_open() = *std::move(open);
  }
  auto spec = load_arm_of(request, *workload);
  if (!spec.ok()) return spec.status();
  last.set_address(spec->endpoint.place());
  const std::vector<int> cpus(request.placement().load_cpus().begin(),
                              request.placement().load_cpus().end());
  std::string error;
  auto generator = load::Generator::start(cpus, static_cast<int>(workload->threads()), error);
  if (generator == nullptr) return absl::ResourceExhaustedError(error);
  const Cancellation::Hook cancel_load(cancellation, [&generator] { generator->cancel(); });
  const Cancellation::Hook stop_load(stop, [&generator] { generator->stop(); });
  const size_t arm = generator->add_arm(*std::move(spec));
  const load::Opened opened = generator->open(arm);
  *last.mutable_effective() = *std::move(workload);
  last.set_connections(static_cast<uint32_t>(opened.achieved));
  last.set_open_error(opened.error);
  last.set_final(true);
  if (request.has_tls()) last.mutable_tls();
  if (opened.error.empty()) {
    fill(generator->load(arm, plan,
                         [&](const load::LoadProgress& progress) {
                           if (!tell(line_of(progress))) generator->cancel();
                         }),
         last);
    last.set_first_failure(generator->first_failure(arm));
  }
  last.set_stopped(stop.raised());
  tell(last);
  return absl::OkStatus();
}

}  // namespace hotlap::agent
