// The clocks of a load: monotonic time and a thread's own CPU time, both in ns. Neither steps back.
// What waits or paces asks through a Clock, so that tests can put simulated time in its place.
#ifndef HOTLAP_HARNESS_LOAD_CLOCK_H_
#define HOTLAP_HARNESS_LOAD_CLOCK_H_

#include <sys/epoll.h>
#include <time.h>

#include <cstdint>
#include <span>

namespace hotlap::load {

inline std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
inline std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
inline std::int64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// Time that passes only while somebody waits for it. One thread at a time.
class SimulatedTime {
 public:
  virtual ~SimulatedTime() = default;
  virtual std::int64_t now_ns() const = 0;
  // As epoll_wait, until something is ready or `until_ns` has come; then it returns 0.
  virtual int wait(int epoll, std::span<epoll_event> events, std::int64_t until_ns) = 0;
};

// The machine's time, or the simulated one where a test gave it. A read costs a branch, never
// taken in earnest, beside clock_gettime; null is the machine's.
class Clock {
 public:
  explicit Clock(SimulatedTime* simulated = nullptr) : simulated_(simulated) {}
  std::int64_t now_ns() const {
    if (simulated_ == nullptr) [[likely]] {
      return monotonic_ns();
    }
    return simulated_->now_ns();
  }
  SimulatedTime* simulated() const { return simulated_; }

 private:
  SimulatedTime* simulated_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_CLOCK_H_
