// From the request to a generator's plan, and from its report to messages.
#include "harness/agent/plain_load.h"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/agent/effective.h"
#include "harness/agent/load_arm.h"
#include "harness/agent/open_loop.h"
#include "harness/agent/replay.h"
#include "harness/load/generator.h"
#include "harness/load/resolve.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::LoadRequest;
using hotlap::v1::LoadResponse;

constexpr double kNsPerS = 1e9;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kProgressEveryNs = 1'000'000'000;

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
                                          const hotlap::v1::Workload& workload,
                                          std::shared_ptr<const load::ReplayLog> log) {
  std::string error;
  const std::vector<load::Endpoint> places = load::resolve(request.endpoint(), error);
  if (places.empty()) return absl::InvalidArgumentError(error);
  const int64_t connect_ms = request.has_connect_timeout_ms() ? request.connect_timeout_ms()
                                                              : int64_t{workload.timeout_ms()};
  const auto place = load::first_that_answers(places, connect_ms * kNsPerMs, error);
  if (!place) return absl::UnavailableError(error);
  auto spec = load_arm(*place, workload, std::move(log));
  if (!spec.ok()) return spec;
  spec->connect_timeout_ns = connect_ms * kNsPerMs;
  spec->first_byte_timeout_ns = int64_t{request.first_byte_timeout_ms()} * kNsPerMs;
  if (request.has_tls()) spec->tls = tls_spec(request.tls());
  return spec;
}

// The ids of a load that names no seed differ from load to load, and can be asked for again.
void draw_seed(hotlap::v1::Workload& workload) {
  const bool random = workload.ids().kind() == hotlap::v1::Ids::RANDOM;
  if (random && !workload.ids().has_seed())
    workload.mutable_ids()->set_seed(std::random_device()());
}

}  // namespace

absl::Status plain_load(const LoadRequest& request, Cancellation& cancellation, Cancellation& stop,
                        const std::function<bool(const LoadResponse&)>& tell) {
  auto workload = effective_workload(request.workload());
  if (!workload.ok()) return workload.status();
  const bool recorded =
      request.has_open() && request.open().arrivals() == hotlap::v1::OpenLoop::RECORDED;
  if (request.has_requests() && request.requests() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(request.requests(), " requests: a load has 1 or more"));
  }
  const bool timeless = request.duration_s() == 0 && (recorded || request.has_requests());
  if (!timeless && !(request.duration_s() > 0 && request.duration_s() <= kMaxLoadS)) {
    return absl::InvalidArgumentError(
        absl::StrCat("duration ", request.duration_s(), " s must be above 0 and at most a day"));
  }
  draw_seed(*workload);
  auto log = read_replay(*workload);
  if (!log.ok()) return log.status();
  LoadResponse last;
  if (*log != nullptr) *last.mutable_replay() = tally_message(**log);
  load::LoadPlan plan;
  plan.progress_every_ns = kProgressEveryNs;
  plan.requests = request.requests();
  plan.duration_ns =
      std::llround((timeless && !recorded ? kMaxLoadS : request.duration_s()) * kNsPerS);
  // As long as a request may take: what is unanswered then has timed out, and is not just in
  // flight.
  plan.drain_ns = int64_t{workload->timeout_ms()} * kNsPerMs;
  if (request.has_open()) {
    auto open = effective_open_loop(request.open(), log->get());
    if (!open.ok()) return open.status();
    plan.open = open_loop_of(*open, log->get());
    plan.duration_ns = open_loop_ns(*open, log->get(), plan.duration_ns);
    *last.mutable_effective_open() = *std::move(open);
  }
  auto spec = load_arm_of(request, *workload, *log);
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
