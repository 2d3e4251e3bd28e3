// The server as a whole: pipeline, limits, routes, listening sockets, and the order to stop. All
// but the stop flag and the counters is fixed before a thread starts.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "server/core/connection_layout.h"
#include "server/core/limits.h"
#include "server/core/listener.h"
#include "server/routes/table.h"
#include "server/stage_state.h"

namespace hotlap::server {

struct Counters {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};  // over a limit, of ours or of a variant's
};

class Service {
 public:
  Service(Pipeline pipeline, const Limits& limits, const RouteSettings& routes,
          TransportSettings transport = {});
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Binds and listens on HOST:PORT or [HOST]:PORT. Empty, or what went wrong.
  std::string open(const std::string& address);
  // HOST:PORT as bound, port 0 replaced.
  const std::string& address() const { return address_; }
  // Serves in this thread (and others if dispatch wants them) until stopped. Empty, or an error.
  std::string run();
  // Stop: close listeners, finish what is in flight, return from run(). Any thread.
  void stop();
  // The same once `fd` is readable (a signalfd). Call before run(); fd stays the caller's.
  void stop_when_readable(int fd) { foreign_stop_fd_ = fd; }

  const Pipeline& pipeline() const { return pipeline_; }
  const Limits& limits() const { return limits_; }
  const RouteTable& routes() const { return routes_; }
  const ConnectionLayout& layout() const { return layout_; }
  // What the transport's connections share; null where it needs nothing.
  void* transport_server() const { return transport_server_; }
  const std::vector<RoutePattern>& patterns() const { return patterns_; }
  RouteMatch match(Method method, std::string_view path) const {
    return pipeline_.router->match(router_state_.get(), method, path);
  }

  // For dispatch variants.
  std::size_t listener_count() const { return listeners_.size(); }
  Listener& listener(std::size_t index) { return listeners_[index]; }
  int stop_fd() const { return stop_fd_; }
  int foreign_stop_fd() const { return foreign_stop_fd_; }
  bool draining() const { return draining_.load(std::memory_order_relaxed); }
  void start_draining() { draining_.store(true, std::memory_order_relaxed); }
  // How often deadlines are looked at.
  int sweep_ms() const { return sweep_ms_; }

  Counters counters;
  std::atomic<std::size_t> open_connections{0};

 private:
  std::string start_transport();

  Pipeline pipeline_;
  Limits limits_;
  RouteTable routes_;
  TransportSettings transport_settings_;
  void* transport_server_ = nullptr;
  ConnectionLayout layout_;
  std::vector<RoutePattern> patterns_;
  StageState router_state_;
  std::vector<Listener> listeners_;
  std::string address_;
  int stop_fd_ = -1;
  int foreign_stop_fd_ = -1;
  int sweep_ms_ = 1000;
  std::atomic<bool> draining_{false};
};

}  // namespace hotlap::server
