// The table of arguments, and how each kind is printed; see raw_call_text.h.
#include "harness/audit/raw_call_text.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/audit/flag_names.h"

namespace hotlap::audit {
namespace {

enum class Kind {
  kNone,  // behind the last argument
  kDescriptor,
  kInt,
  kSize,
  kHex,
  kAddress,
  kIn,              // memory that the call reads
  kOut,             // memory that it fills
  kEvents,          // an array of which it fills as many as it returns
  kTime,            // a timespec
  kFutexTime,       // the same, of those operations that wait
  kFutexBits,       // of those with _BITSET
  kOption,          // of setsockopt, within its level
  kControlValue,    // of fcntl
  kCloneArguments,  // of clone3
  kFlags,
};

struct Argument {
  Kind kind = Kind::kNone;
  FlagKind flags = FlagKind::kDomain;

  // Implicit, so that a row of the table reads as the call does.
  constexpr Argument() = default;
  constexpr Argument(Kind of) : kind(of) {}                           // NOLINT(google-explicit-*)
  constexpr Argument(FlagKind of) : kind(Kind::kFlags), flags(of) {}  // NOLINT(google-explicit-*)
};

struct Form {
  std::string_view name;
  std::array<Argument, 6> arguments;
};

using enum Kind;
using enum FlagKind;

constexpr Form kForms[] = {
    {"accept", {kDescriptor, kOut, kOut}},
    {"accept4", {kDescriptor, kOut, kOut, kSocketFlags}},
    {"access", {kIn, kHex}},
    {"arch_prctl", {kHex, kAddress}},
    {"bind", {kDescriptor, kIn, kSize}},
    {"brk", {kAddress}},
    {"clock_nanosleep", {kInt, kHex, kTime, kOut}},
    {"clone", {kCloneFlags, kAddress, kAddress, kAddress, kAddress}},
    {"clone3", {kCloneArguments, kSize}},
    {"close", {kDescriptor}},
    {"close_range", {kSize, kSize, kHex}},
    {"connect", {kDescriptor, kIn, kSize}},
    {"dup", {kDescriptor}},
    {"dup2", {kDescriptor, kInt}},
    {"dup3", {kDescriptor, kInt, kPipeFlags}},
    {"epoll_create", {kInt}},
    {"epoll_create1", {kEpollFlags}},
    {"epoll_ctl", {kDescriptor, kEpollOperation, kDescriptor, kIn}},
    {"epoll_pwait", {kDescriptor, kEvents, kInt, kInt, kIn, kSize}},
    {"epoll_pwait2", {kDescriptor, kEvents, kInt, kTime, kIn, kSize}},
    {"epoll_wait", {kDescriptor, kEvents, kInt, kInt}},
    {"eventfd2", {kSize, kEventFlags}},
    {"execve", {kIn, kIn, kIn}},
    {"exit", {kInt}},
    {"exit_group", {kInt}},
    {"fcntl", {kDescriptor, kControl, kControlValue}},
    {"fork", {}},
    {"fstat", {kDescriptor, kOut}},
    {"futex", {kAddress, kFutexOperation, kInt, kFutexTime, kNone, kFutexBits}},
    {"futex_waitv", {kIn, kInt, kHex, kTime, kInt}},
    {"getpeername", {kDescriptor, kOut, kOut}},
    {"getpid", {}},
    {"getppid", {}},
    {"getrandom", {kOut, kSize, kHex}},
    {"getsockname", {kDescriptor, kOut, kOut}},
    {"getsockopt", {kDescriptor, kOptionLevel, kOption, kOut, kOut}},
    {"gettid", {}},
    {"io_uring_enter", {kDescriptor, kInt, kInt, kHex, kIn, kSize}},
    {"io_uring_register", {kDescriptor, kInt, kIn, kInt}},
    {"io_uring_setup", {kInt, kOut}},
    {"ioctl", {kDescriptor, kHex, kIn}},
    {"listen", {kDescriptor, kInt}},
    {"lseek", {kDescriptor, kInt, kInt}},
    {"madvise", {kAddress, kSize, kAdvice}},
    {"mmap", {kAddress, kSize, kProtection, kMapFlags, kDescriptor, kHex}},
    {"mprotect", {kAddress, kSize, kProtection}},
    {"mremap", {kAddress, kSize, kSize, kHex}},
    {"munmap", {kAddress, kSize}},
    {"nanosleep", {kTime, kOut}},
    {"newfstatat", {kDescriptor, kIn, kOut, kHex}},
    {"openat", {kDescriptor, kIn, kOpenFlags}},
    {"pause", {}},
    {"pipe2", {kOut, kPipeFlags}},
    {"poll", {kIn, kInt, kInt}},
    {"ppoll", {kIn, kInt, kTime, kIn, kSize}},
    {"pread64", {kDescriptor, kOut, kSize, kSize}},
    {"preadv", {kDescriptor, kOut, kInt, kSize}},
    {"prlimit64", {kInt, kInt, kIn, kOut}},
    {"pselect6", {kInt, kIn, kIn, kIn, kTime, kIn}},
    {"pwrite64", {kDescriptor, kIn, kSize, kSize}},
    {"read", {kDescriptor, kOut, kSize}},
    {"readv", {kDescriptor, kOut, kInt}},
    {"recvfrom", {kDescriptor, kOut, kSize, kMessageFlags, kOut, kOut}},
    {"recvmsg", {kDescriptor, kOut, kMessageFlags}},
    {"rseq", {kAddress, kSize, kHex, kHex}},
    {"rt_sigaction", {kSignal, kIn, kOut, kSize}},
    {"rt_sigprocmask", {kSignalMask, kIn, kOut, kSize}},
    {"rt_sigreturn", {}},
    {"rt_sigsuspend", {kIn, kSize}},
    {"rt_sigtimedwait", {kIn, kOut, kTime, kSize}},
    {"sched_getaffinity", {kInt, kSize, kOut}},
    {"sched_yield", {}},
    {"sendfile", {kDescriptor, kDescriptor, kIn, kSize}},
    {"sendmmsg", {kDescriptor, kIn, kInt, kMessageFlags}},
    {"sendmsg", {kDescriptor, kIn, kMessageFlags}},
    {"sendto", {kDescriptor, kIn, kSize, kMessageFlags, kIn, kSize}},
    {"set_robust_list", {kAddress, kSize}},
    {"set_tid_address", {kAddress}},
    {"setsockopt", {kDescriptor, kOptionLevel, kOption, kIn, kSize}},
    {"shutdown", {kDescriptor, kShutdown}},
    {"sigaltstack", {kIn, kOut}},
    {"signalfd4", {kInt, kIn, kSize, kEventFlags}},
    {"socket", {kDomain, kSocketType, kInt}},
    {"splice", {kDescriptor, kIn, kDescriptor, kIn, kSize, kHex}},
    {"tgkill", {kInt, kInt, kSignal}},
    {"timerfd_create", {kInt, kEventFlags}},
    {"timerfd_settime", {kDescriptor, kHex, kIn, kOut}},
    {"uname", {kOut}},
    {"vfork", {}},
    {"wait4", {kInt, kOut, kHex, kOut}},
    {"write", {kDescriptor, kIn, kSize}},
    {"writev", {kDescriptor, kIn, kInt}},
};

constexpr bool comes_before(const Form& form, const Form& other) { return form.name < other.name; }
static_assert(std::is_sorted(std::begin(kForms), std::end(kForms), comes_before),
              "the table is searched by halves");

// What the kernel gives to itself for a call that is to be made again; none of errno's.
struct Restart {
  int64_t number;
  const char* name;
};
constexpr Restart kRestarts[] = {{512, "ERESTARTSYS"},
                                 {513, "ERESTARTNOINTR"},
                                 {514, "ERESTARTNOHAND"},
                                 {516, "ERESTART_RESTARTBLOCK"}};
constexpr int64_t kMaxErrno = 4095;

const Form* form_of(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kForms), std::end(kForms), name,
      [](const Form& form, std::string_view wanted) { return form.name < wanted; });
  return found != std::end(kForms) && found->name == name ? found : nullptr;
}

bool failed(const RawCall& call) { return !call.result || *call.result < 0; }

std::string address_text(uint64_t address) { return address == 0 ? "NULL" : hex_text(address); }

std::string descriptor_text(int64_t fd, const std::string& annotation) {
  if (fd == AT_FDCWD) return "AT_FDCWD";
  return fd < 0 ? absl::StrCat(fd) : absl::StrCat(fd, "<", annotation, ">");
}

// strace shows where memory is when there is nothing in it to be shown.
std::string filled_text(const RawCall& call, uint64_t address, bool array) {
  if (address == 0 || failed(call)) return address_text(address);
  return array && *call.result == 0 ? "[]" : "...";
}

std::string time_text(uint64_t address) { return address == 0 ? "NULL" : "{tv_sec=...}"; }

bool waits(uint64_t futex_operation) {
  const uint64_t command = futex_operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI;
}

// Empty: the call has none.
std::string futex_bits(const RawCall& call) {
  const uint64_t command = call.arguments[1] & FUTEX_CMD_MASK;
  if (command != FUTEX_WAIT_BITSET && command != FUTEX_WAKE_BITSET) return "";
  const auto bits = static_cast<uint32_t>(call.arguments[5]);
  return bits == FUTEX_BITSET_MATCH_ANY ? "FUTEX_BITSET_MATCH_ANY" : hex_text(bits);
}

std::string option_text(uint64_t level, uint64_t option) {
  if (level == SOL_SOCKET) return flag_text(kSocketOption, option);
  return level == SOL_TCP ? flag_text(kTcpOption, option) : absl::StrCat(as_int(option));
}

// Empty: the call has none.
std::string control_value(const RawCall& call) {
  const uint64_t command = call.arguments[1];
  if (command == F_GETFD || command == F_GETFL) return "";
  if (command == F_SETFL) return flag_text(kOpenFlags, call.arguments[2]);
  return hex_text(call.arguments[2]);
}

// One argument; empty for one that the call does not have.
std::string argument_text(const Argument& argument, const RawCall& call, size_t index) {
  const uint64_t value = call.arguments[index];
  switch (argument.kind) {
    case kNone:
      return "";
    case kDescriptor:
      return descriptor_text(as_int(value), call.descriptors[index]);
    case kInt:
      return absl::StrCat(as_int(value));
    case kSize:
      return absl::StrCat(value);
    case kHex:
      return hex_text(value);
    case kAddress:
      return address_text(value);
    case kIn:
      return value == 0 ? "NULL" : "...";
    case kOut:
      return filled_text(call, value, false);
    case kEvents:
      return filled_text(call, value, true);
    case kTime:
      return time_text(value);
    case kFutexTime:
      return waits(call.arguments[1]) ? time_text(value) : "";
    case kFutexBits:
      return futex_bits(call);
    case kOption:
      return option_text(call.arguments[1], value);
    case kControlValue:
      return control_value(call);
    case kCloneArguments:
      return call.made_thread ? "{flags=CLONE_THREAD|..., ...}" : "...";
    case kFlags:
      return flag_text(argument.flags, value);
  }
  return "";
}

std::string error_text(int64_t error) {
  for (const Restart& restart : kRestarts) {
    if (restart.number == error) return absl::StrCat("? ", restart.name);
  }
  const char* name = strerrorname_np(static_cast<int>(error));
  return absl::StrCat("-1 ", name == nullptr ? absl::StrCat(error) : name);
}

bool returns_address(const std::string& name) {
  return name == "mmap" || name == "brk" || name == "mremap" || name == "shmat";
}

}  // namespace

bool is_descriptor(const std::string& name, size_t index) {
  const Form* form = form_of(name);
  return form != nullptr && form->arguments[index].kind == kDescriptor;
}

std::string arguments_text(const RawCall& call) {
  const Form* form = form_of(call.name);
  if (form == nullptr) return "...";
  std::vector<std::string> texts;
  for (size_t i = 0; i < form->arguments.size(); ++i) {
    std::string text = argument_text(form->arguments[i], call, i);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return absl::StrJoin(texts, ", ");
}

std::string result_text(const RawCall& call) {
  if (!call.result) return "?";
  const int64_t result = *call.result;
  if (result < 0 && result >= -kMaxErrno) return error_text(-result);
  if (returns_address(call.name)) return hex_text(static_cast<uint64_t>(result));
  if (!call.result_descriptor.empty()) return descriptor_text(result, call.result_descriptor);
  // As strace translates a number of another namespace.
  if (call.created > 0) return absl::StrCat(result, " /* ", call.created, " in strace's PID NS */");
  return absl::StrCat(result);
}

}  // namespace hotlap::audit
