// See asleep.h.
#include "harness/capture/asleep.h"

#include <time.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "harness/capture/whole_file.h"

namespace hotlap::capture {
namespace {

constexpr long kPauseNs = 100'000;

// The state letter of proc(5): it follows the name, which may hold anything.
char thread_state(pid_t process, pid_t thread) {
  const auto text =
      read_whole_file(absl::StrCat("/proc/", process, "/task/", thread, "/stat")).value_or("");
  const size_t close = text.rfind(')');
  return close == std::string::npos || close + 2 >= text.size() ? 'X' : text[close + 2];
}

bool rests(char state) { return state == 'S' || state == 'Z' || state == 'X' || state == 'I'; }

}  // namespace

bool all_asleep(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    for (const pid_t thread : threads_of(process)) {
      if (!rests(thread_state(process, thread))) return false;
    }
  }
  return true;
}

bool await_asleep(const std::function<std::vector<pid_t>()>& processes,
                  std::chrono::nanoseconds patience, const std::function<bool()>& goes_on) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int looks_asleep = 0;
  while (looks_asleep < 2) {
    if (!goes_on() || std::chrono::steady_clock::now() > deadline) return false;
    if (all_asleep(processes())) {
      ++looks_asleep;
    } else {
      looks_asleep = 0;
    }
    const timespec pause{0, kPauseNs};
    // tidy: allow sleep: that another process's threads have come to rest is no event
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace hotlap::capture
