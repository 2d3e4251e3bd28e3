// The library hotlap-still-clock.so: preloaded into a target whose instructions are counted, it
// keeps the wall clock at the moment of its start, so that what a server does once a second (a new
// date for its replies) does not come on top of its requests by chance. So it does with the coarse
// clock, by which servers look for connections that have been idle too long. The clocks that
// measure time go on. Costs the system calls at the start.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

constinit timespec wall = {0, 0};
constinit timespec coarse = {0, 0};

__attribute__((constructor)) void stop_clocks() {
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &wall);
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &coarse);
}

// Null of a clock that goes on, and before the library has begun.
const timespec* stilled(clockid_t clock) {
  if (wall.tv_sec == 0) return nullptr;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI) {
    return &wall;
  }
  return clock == CLOCK_MONOTONIC_COARSE ? &coarse : nullptr;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (const timespec* still = stilled(clock)) {
    *now = *still;
    return 0;
  }
  return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
}

__attribute__((visibility("default"))) time_t time(time_t* now) noexcept {
  timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (now != nullptr) *now = found.tv_sec;
  return found.tv_sec;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* now, void*) noexcept {
  constexpr long kNsPerUs = 1000;
  timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  *now = {found.tv_sec, found.tv_nsec / kNsPerUs};
  return 0;
}

}  // extern "C"
