// One thread accepts and waits, and hands each ready connection to one of N workers. Costs a lock,
// a wake-up and a re-arming syscall a request; a handler that blocks holds up one worker only.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "server/core/poller.h"
#include "server/core/serving_threads.h"
#include "variants/dispatch/threads.h"

namespace hotlap::variants {
namespace {

using namespace server;

// Never holds more than one entry a connection.
class ReadyQueue {
 public:
  void push(const Ready& ready) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(ready);
    }
    arrived_.notify_one();
  }

  // False once closed and empty.
  bool pop(Ready& ready) {
    std::unique_lock<std::mutex> lock(mutex_);
    arrived_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return false;
    ready = queue_.front();
    queue_.pop_front();
    return true;
  }

  void close() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    arrived_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Ready> queue_;
  bool closed_ = false;
};

struct Pool {
  Service& service;
  Poller poller;
  ReadyQueue queue;

  explicit Pool(Service& of) : service(of), poller(of, of.listener(0), true) {}
};

void work(void* context) {
  auto& [service, poller, queue] = *static_cast<Pool*>(context);
  ThreadContext thread(service.pipeline());
  Ready ready{};
  while (queue.pop(ready)) {
    bool given_back = false;
    while (!given_back) {
      thread.now_ms = coarse_now_ms();
      const std::uint32_t wait_for = drive(service, thread, ready);
      given_back = poller.give_back(*ready.connection, wait_for);
      ready.events = wait_for;  // which came meanwhile if it was not given back
    }
  }
}

void hand_out(Pool& pool) {
  std::vector<Ready> ready;
  std::int64_t now_ms = 0;
  while (pool.poller.wait(ready, now_ms)) {
    for (const Ready& one : ready) pool.queue.push(one);
  }
}

int listeners(const StageConfig&) { return 1; }

std::string run(Service& service, const StageConfig& config) {
  Pool pool(service);
  if (std::string error = pool.poller.open(); !error.empty()) return error;
  ServingThreads workers;
  std::string error;
  for (std::uint64_t i = 0; i < config.number && error.empty(); ++i) {
    error = workers.start(work, &pool);
  }
  if (error.empty()) hand_out(pool);
  pool.queue.close();
  workers.join();
  return error;
}

}  // namespace

extern constinit const DispatchStage dispatch_thread_pool = {
    .info = {.name = "thread_pool",
             .summary = "thread_pool:N, one poller hands ready connections to N workers",
             .costs = "1 lock and wake-up, 1 re-arming call of the readiness variant a request",
             .configure = configure_threads},
    .listeners = listeners,
    .run = run,
};

}  // namespace hotlap::variants
