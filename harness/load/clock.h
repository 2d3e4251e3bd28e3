// The clocks of a load: monotonic time and a thread's own CPU time, both in ns. Neither steps back.
#ifndef HOTLAP_HARNESS_LOAD_CLOCK_H_
#define HOTLAP_HARNESS_LOAD_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace hotlap::load {

inline std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
inline std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
inline std::int64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_CLOCK_H_
