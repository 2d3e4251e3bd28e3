// A system call as the kernel's tracepoints show it: its registers and no memory.
#ifndef HOTLAP_HARNESS_AUDIT_RAW_CALL_H_
#define HOTLAP_HARNESS_AUDIT_RAW_CALL_H_

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace hotlap::audit {

using Registers = std::array<uint64_t, 6>;

struct RawCall {
  std::string name;  // "recvfrom"
  Registers arguments = {};
  std::optional<int64_t> result = {};  // below 0: an errno; absent of a call that never returned
  // What each descriptor among the arguments was at the entry, and what the result is, in the words
  // of strace ("anon_inode:[eventpoll]"); empty for all else.
  std::array<std::string, 6> descriptors = {};
  std::string result_descriptor = {};
  pid_t created = 0;         // by a clone: the thread, as perf numbers it
  bool made_thread = false;  // of the same process
};

// A descriptor or another int in a register, whose upper half is noise.
inline int64_t as_int(uint64_t argument) { return static_cast<int32_t>(argument); }

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_RAW_CALL_H_
