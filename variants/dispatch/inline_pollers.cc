// N threads, each with a listening socket and a readiness state of its own, that run handlers in
// place. Costs no hand-over and no lock; a handler that blocks stalls the connections of its
// thread. The kernel spreads connections over the listeners by SO_REUSEPORT.
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "server/core/poller.h"
#include "variants/dispatch/threads.h"

namespace hotlap::variants {
namespace {

using namespace server;

int listeners(const StageConfig& config) { return static_cast<int>(config.number); }

void serve(Service& service, Poller& poller) {
  ThreadContext thread(service.pipeline());
  std::vector<Ready> ready;
  while (poller.wait(ready, thread.now_ms)) {
    for (const Ready& one : ready) {
      poller.settle(*one.connection, drive(service, thread, one));
    }
  }
}

std::string run(Service& service, const StageConfig&) {
  std::vector<std::unique_ptr<Poller>> pollers;
  for (std::size_t i = 0; i < service.listener_count(); ++i) {
    pollers.push_back(std::make_unique<Poller>(service, service.listener(i), false));
    if (std::string error = pollers.back()->open(); !error.empty()) return error;
  }
  std::vector<std::thread> threads;
  std::string error;
  try {
    for (std::size_t i = 1; i < pollers.size(); ++i) {
      threads.emplace_back([&service, poller = pollers[i].get()] { serve(service, *poller); });
    }
    serve(service, *pollers.front());
  } catch (const std::system_error& failure) {
    error = std::string("cannot start a poller thread: ") + failure.what();
    service.stop();
  }
  for (std::thread& thread : threads) thread.join();
  return error;
}

}  // namespace

extern constinit const DispatchStage dispatch_inline_pollers = {
    .info = {.name = "inline_pollers",
             .summary = "inline_pollers:N, N threads that accept, wait and run handlers in place",
             .costs = "no hand-over, no lock, no syscall of its own",
             .configure = configure_threads},
    .listeners = listeners,
    .run = run,
};

}  // namespace hotlap::variants
