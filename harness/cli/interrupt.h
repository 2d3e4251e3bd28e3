// Ctrl-C and SIGTERM as a value that long work asks about, and that cancels the call under way.
// A second one ends the process at once; the kernel then ends agent and targets.
#ifndef HOTLAP_HARNESS_CLI_INTERRUPT_H_
#define HOTLAP_HARNESS_CLI_INTERRUPT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/status/status.h"

namespace hotlap::cli {

class Interrupt {
 public:
  // Blocks the signals in the calling thread, so that threads started later inherit that: make it
  // before any other thread, and one a process.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool raised() const { return raised_.load(std::memory_order_acquire); }

  // While a Call lives, an interrupt cancels its context; unless `gently`, which is tried first,
  // returns true: the call will then end by itself, with what it has.
  class Call {
   public:
    Call(Interrupt& interrupt, grpc::ClientContext& context, std::function<bool()> gently = {});
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Interrupt& interrupt_;
  };

 private:
  void watch();
  void end_call();  // under mutex_

  int wake_fd_;
  std::atomic<bool> raised_{false};
  std::mutex mutex_;
  grpc::ClientContext* context_ = nullptr;
  std::function<bool()> gently_;
  std::thread watcher_;
};

// How a call ended, in this process's terms: CANCELLED where it was interrupted, however it ended.
absl::Status call_status(const grpc::Status& status, const Interrupt& interrupt);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_INTERRUPT_H_
