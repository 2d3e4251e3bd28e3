// What poll and pselect lack: a change by another thread while one waits. Such changes are kept,
// and the first of them rings, so that the waiting call returns and takes them over. Costs an
// uncontended lock a call, and a write and a read for each ring.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace hotlap::variants {

struct InterestChange {
  int fd;
  void* token;
  std::uint32_t interest;
};

class Doorbell {
 public:
  Doorbell() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Doorbell() {
    if (fd_ >= 0) close(fd_);
  }
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  int fd() const { return fd_; }  // readable once it rang; negative when there was none to be had

  // For what the waiting thread does with its lists outside of the waiting call.
  std::mutex& mutex() { return mutex_; }

  // Around the waiting call, during which the lists are left alone. end_wait() holds the mutex.
  void begin_wait() {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_ = true;
  }
  template <class Apply>
  void end_wait(bool rang, Apply apply) {
    waiting_ = false;
    for (const InterestChange& change : kept_) apply(change);
    kept_.clear();
    std::uint64_t count;
    if (rang) [[maybe_unused]]
      const ssize_t got = read(fd_, &count, sizeof(count));
  }

  // Applies the change now, or keeps it for end_wait().
  template <class Apply>
  void change(const InterestChange& change, Apply apply) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!waiting_) return apply(change);
      kept_.push_back(change);
      if (kept_.size() > 1) return;
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = write(fd_, &one, sizeof(one));
  }

 private:
  const int fd_;
  std::mutex mutex_;
  bool waiting_ = false;
  std::vector<InterestChange> kept_;
};

}  // namespace hotlap::variants
