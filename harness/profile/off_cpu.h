// When threads were off their CPUs, asleep or waiting for one, from perf's records of switches:
// each says that a thread left its CPU or came to one, and whether it could have gone on. No
// tracepoint is needed for that, and threads that begin while it is recorded are followed too.
#ifndef HOTLAP_HARNESS_PROFILE_OFF_CPU_H_
#define HOTLAP_HARNESS_PROFILE_OFF_CPU_H_

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "harness/profile/perf_script.h"

namespace hotlap::profile {

enum class WaitKind {
  kSleep,
  kPreempted,  // it had more to do, and lost its CPU
  kNew,        // it began, and had no CPU yet
};

struct Wait {
  static constexpr int64_t kEarlier = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kLater = std::numeric_limits<int64_t>::max();

  pid_t process = 0;
  pid_t thread = 0;
  WaitKind kind = WaitKind::kSleep;
  int64_t begin_ns = 0;  // kEarlier: it slept when the recording began
  int64_t ready_ns = 0;  // from when on it only waited for a CPU; of a sleep the wake-up
  int64_t end_ns = 0;    // kLater: it still waited when the recording ended
  const ScriptSample* sample = nullptr;  // of the script; null where no stack was taken
};

// Times at which threads were woken, in order, by thread.
using WakeUps = std::map<pid_t, std::vector<int64_t>>;

// Of a script of sched:sched_wakeup, "… comm=a name pid=7014 prio=120 target_cpu=001".
WakeUps read_wake_ups(const Script& script);

struct Waits {
  std::vector<Wait> waits;  // views into the script
  // Of waits without beginning or end, since records were lost: nothing is known, and nothing said.
  int64_t torn = 0;
  // Sleeps of which no wake-up was seen although others were: they are asleep until they ran.
  int64_t without_wake_up = 0;
  int64_t still_threads = 0;  // that were there before, and neither left nor came to a CPU
};

// A sleep of which no wake-up is known is asleep until it runs again.
Waits read_waits(const Script& script, const WakeUps& wake_ups);

// Whether a system call waits for whatever comes next, and a sleep in it is idleness by design.
bool waits_for_work(std::string_view system_call);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_OFF_CPU_H_
