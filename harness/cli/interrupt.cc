// Signals through a descriptor, waited for by one thread; see interrupt.h.
#include "harness/cli/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "harness/cli/exit_code.h"

namespace hotlap::cli {
namespace {

constexpr std::chrono::seconds kOneWish{1};

// `timeout` signals the process and then its group: that is one wish, not two. Keys are from the
// kernel, and each is a wish.
bool is_repeated(const signalfd_siginfo& signal, std::chrono::steady_clock::duration since_first) {
  return signal.ssi_code != SI_KERNEL && since_first <= kOneWish;
}

sigset_t interrupting_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

Interrupt::Interrupt() : wake_fd_(eventfd(0, EFD_CLOEXEC)) {
  const sigset_t signals = interrupting_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader that has gone away is an error of the write, not the end of the run.
  signal(SIGPIPE, SIG_IGN);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(wake_fd_, &one, sizeof one);
  watcher_.join();
  close(wake_fd_);
}

void Interrupt::watch() {
  const sigset_t signals = interrupting_signals();
  std::chrono::steady_clock::time_point first;
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
  while (true) {
    pollfd waiting[2] = {{signal_fd, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) continue;
    if (waiting[1].revents != 0) break;
    signalfd_siginfo information;
    if (read(signal_fd, &information, sizeof information) != sizeof information) continue;
    const auto now = std::chrono::steady_clock::now();
    if (raised_.exchange(true, std::memory_order_acq_rel)) {
      if (!is_repeated(information, now - first)) _exit(kExitInterrupted);
      continue;
    }
    first = now;
    std::lock_guard<std::mutex> lock(mutex_);
    end_call();
  }
  close(signal_fd);
}

void Interrupt::end_call() {
  if (context_ == nullptr || (gently_ && gently_())) return;
  context_->TryCancel();
}

Interrupt::Call::Call(Interrupt& interrupt, grpc::ClientContext& context,
                      std::function<bool()> gently)
    : interrupt_(interrupt) {
  std::lock_guard<std::mutex> lock(interrupt_.mutex_);
  interrupt_.context_ = &context;
  interrupt_.gently_ = std::move(gently);
  if (interrupt_.raised()) context.TryCancel();
}

Interrupt::Call::~Call() {
  std::lock_guard<std::mutex> lock(interrupt_.mutex_);
  interrupt_.context_ = nullptr;
  interrupt_.gently_ = nullptr;
}

absl::Status call_status(const grpc::Status& status, const Interrupt& interrupt) {
  if (interrupt.raised()) return absl::CancelledError("interrupted");
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace hotlap::cli
