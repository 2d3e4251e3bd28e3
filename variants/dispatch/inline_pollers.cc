// N threads, each with a listening socket and a readiness state of its own, that run handlers in
// place. Costs no hand-over and no lock; a handler that blocks stalls the connections of its
// thread. The kernel spreads connections over the listeners by SO_REUSEPORT.
#include "server/core/poller.h"
#include "variants/dispatch/threads.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct Server {
  Service& service;
  Poller poller;

  Server(Service& of, Listener& listener) : service(of), poller(of, listener, false) {}
  std::string open() { return poller.open(); }
  std::string error() const { return {}; }
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
  return serve_each_listener<Server, serve>(service);
}

}  // namespace

extern constinit const DispatchStage dispatch_inline_pollers = {
    .info = {.name = "inline_pollers",
             .summary = "inline_pollers:N, N threads that accept, wait and run handlers in place",
             .costs = "no hand-over, no lock, no syscall of its own",
             .configure = configure_threads},
    .listeners = one_listener_a_thread,
    .run = run,
};

}  // namespace hotlap::variants
