// Hooks under one lock; see cancellation.h.
#include "harness/agent/cancellation.h"

#include <chrono>
#include <utility>

namespace hotlap::agent {
namespace {

constexpr std::chrono::milliseconds kAskEvery{20};

}  // namespace

void Cancellation::raise() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (raised_.exchange(true, std::memory_order_acq_rel)) return;
  for (const auto& action : actions_) action();
}

Cancellation::Hook::Hook(Cancellation& cancellation, std::function<void()> action)
    : cancellation_(cancellation) {
  const std::lock_guard<std::mutex> lock(cancellation_.mutex_);
  if (cancellation_.raised()) action();
  place_ = cancellation_.actions_.insert(cancellation_.actions_.end(), std::move(action));
}

Cancellation::Hook::~Hook() {
  const std::lock_guard<std::mutex> lock(cancellation_.mutex_);
  cancellation_.actions_.erase(place_);
}

CallWatch::CallWatch(const grpc::ServerContext& context, Cancellation& cancellation)
    : thread_([this, &context, &cancellation] {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!ended_.wait_for(lock, kAskEvery, [this] { return done_; })) {
          if (!context.IsCancelled()) continue;
          cancellation.raise();
          return;
        }
      }) {}

CallWatch::~CallWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

}  // namespace hotlap::agent
