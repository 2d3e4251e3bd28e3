// A wish that a call's work ends, its caller's as a rule, as work can see it: a flag to ask, and
// hooks that end what would keep the work waiting (targets that hang or never start, a load whose
// replies do not come).
#ifndef HOTLAP_HARNESS_AGENT_CANCELLATION_H_
#define HOTLAP_HARNESS_AGENT_CANCELLATION_H_

#include <grpcpp/server_context.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace hotlap::agent {

class Cancellation {
 public:
  bool raised() const { return raised_.load(std::memory_order_acquire); }

  // Runs the hooks that stand, once. From any thread.
  void raise();

  // While it lives, raise() runs `action`; at once when it was raised before. `action` may run in
  // another thread, and has ended when this object is gone.
  class Hook {
   public:
    Hook(Cancellation& cancellation, std::function<void()> action);
    ~Hook();
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;

   private:
    Cancellation& cancellation_;
    std::list<std::function<void()>>::iterator place_;
  };

 private:
  std::atomic<bool> raised_{false};
  std::mutex mutex_;
  std::list<std::function<void()>> actions_;
};

// Raises a cancellation when the caller of an RPC gives up. The synchronous API tells that only
// when asked, so that one thread asks every 20 ms while the call runs.
class CallWatch {
 public:
  CallWatch(const grpc::ServerContext& context, Cancellation& cancellation);
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_CANCELLATION_H_
