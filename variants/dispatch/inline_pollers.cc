// N threads, each with a listening socket and a readiness state of its own, that run handlers in
// place. Costs no hand-over and no lock; a handler that blocks stalls the connections of its
// thread. The kernel spreads connections over the listeners by SO_REUSEPORT.
#include <memory>
#include <vector>

#include "server/core/poller.h"
#include "server/core/serving_threads.h"
#include "variants/dispatch/threads.h"

namespace hotlap::variants {
namespace {

using namespace server;

int listeners(const StageConfig& config) { return static_cast<int>(config.number); }

struct Server {
  Service& service;
  Poller poller;

  Server(Service& of, Listener& listener) : service(of), poller(of, listener, false) {}
};

void serve(void* context) {
  auto& [service, poller] = *static_cast<Server*>(context);
  ThreadContext thread(service.pipeline());
  std::vector<Ready> ready;
  while (poller.wait(ready, thread.now_ms)) {
    for (const Ready& one : ready) {
      poller.settle(*one.connection, drive(service, thread, one));
    }
  }
}

std::string run(Service& service, const StageConfig&) {
  std::vector<std::unique_ptr<Server>> servers;
  for (std::size_t i = 0; i < service.listener_count(); ++i) {
    servers.push_back(std::make_unique<Server>(service, service.listener(i)));
    if (std::string error = servers.back()->poller.open(); !error.empty()) return error;
  }
  ServingThreads threads;
  std::string error;
  for (std::size_t i = 1; i < servers.size() && error.empty(); ++i) {
    error = threads.start(serve, servers[i].get());
  }
  if (!error.empty()) service.stop();
  serve(servers.front().get());
  threads.join();
  return error;
}

}  // namespace

extern constinit const DispatchStage dispatch_inline_pollers = {
    .info = {.name = "inline_pollers",
             .summary = "inline_pollers:N, N threads that accept, wait and run handlers in place",
             .costs = "no hand-over, no lock, no syscall of its own",
             .configure = configure_threads},
    .arms_each_event = false,
    .listeners = listeners,
    .run = run,
};

}  // namespace hotlap::variants
