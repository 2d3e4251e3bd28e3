// Everything here happens once: at start and at the end.
#include "server/core/service.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace hotlap::server {
namespace {

constexpr std::int64_t kMinSweepMs = 10;
constexpr std::int64_t kMaxSweepMs = 1000;

int sweep_for(const Limits& limits) {
  const std::int64_t shortest =
      std::min({limits.head_timeout_ms, limits.io_timeout_ms, limits.idle_timeout_ms,
                limits.linger_timeout_ms, limits.drain_timeout_ms});
  return static_cast<int>(std::clamp(shortest / 4, kMinSweepMs, kMaxSweepMs));
}

}  // namespace

Service::Service(Pipeline pipeline, const Limits& limits, const RouteSettings& routes,
                 TransportSettings transport)
    : pipeline_(std::move(pipeline)),
      limits_(limits),
      routes_(routes),
      transport_settings_(std::move(transport)),
      layout_(pipeline_),
      patterns_(routes_.patterns()),
      router_state_(pipeline_.router->info),
      stop_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      sweep_ms_(sweep_for(limits)) {
  pipeline_.router->build(router_state_.get(), patterns_.data(), patterns_.size());
}

Service::~Service() {
  if (transport_server_ != nullptr) pipeline_.transport->stop(transport_server_);
  pipeline_.router->destroy(router_state_.get());
  if (stop_fd_ >= 0) close(stop_fd_);
}

std::string Service::open(const std::string& address) {
  if (stop_fd_ < 0) return std::string("cannot make an eventfd: ") + std::strerror(errno);
  if (!routes_.error().empty()) return routes_.error();
  if (std::string error = start_transport(); !error.empty()) return error;
  const int count = pipeline_.dispatch->listeners(pipeline_.dispatch.config);
  return listen_on(address, count, listeners_, address_);
}

std::string Service::start_transport() {
  const TransportStage& stage = *pipeline_.transport.get();
  if (stage.start == nullptr) {
    if (transport_settings_.empty()) return {};
    return std::string("transport=") + stage.info.name +
           " has no certificate: the --tls flags go with transport=tls or tls_resumed";
  }
  std::string error;
  transport_server_ = stage.start(transport_settings_, error);
  return error;
}

std::string Service::run() { return pipeline_.dispatch->run(*this, pipeline_.dispatch.config); }

void Service::stop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(stop_fd_, &one, sizeof(one));
}

}  // namespace hotlap::server
