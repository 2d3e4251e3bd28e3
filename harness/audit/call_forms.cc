// See call_forms.h.
#include "harness/audit/call_forms.h"

#include <algorithm>
#include <iterator>

namespace hotlap::audit {
namespace {

using enum ArgumentKind;
using enum FlagKind;

constexpr Form kForms[] = {
    {"accept", {kDescriptor, kOut, kOut}},
    {"accept4", {kDescriptor, kOut, kOut, kSocketFlags}},
    {"access", {kIn, kHex}},
    {"arch_prctl", {kHex, kAddress}},
    {"bind", {kDescriptor, kIn, kSize}},
    {"brk", {kAddress}},
    {"clock_nanosleep", {kInt, kHex, kTime, kOut}},
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
    {"io_uring_enter", {kDescriptor, kInt, kInt, kRingFlags, kIn, kSize}},
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

}  // namespace

const Form* form_of(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kForms), std::end(kForms), name,
      [](const Form& form, std::string_view wanted) { return form.name < wanted; });
  return found != std::end(kForms) && found->name == name ? found : nullptr;
}

}  // namespace hotlap::audit
