// Numbers of system calls' arguments in the words that strace has for them: only those that servers
// use. What is not known stays a number.
#ifndef HOTLAP_HARNESS_AUDIT_FLAG_NAMES_H_
#define HOTLAP_HARNESS_AUDIT_FLAG_NAMES_H_

#include <cstdint>
#include <string>

namespace hotlap::audit {

enum class FlagKind {
  kDomain,          // AF_INET
  kSocketType,      // SOCK_STREAM|SOCK_CLOEXEC
  kSocketFlags,     // SOCK_CLOEXEC, of accept4
  kMessageFlags,    // MSG_NOSIGNAL
  kOptionLevel,     // SOL_TCP
  kSocketOption,    // SO_REUSEPORT, of SOL_SOCKET
  kTcpOption,       // TCP_NODELAY, of SOL_TCP
  kShutdown,        // SHUT_WR
  kOpenFlags,       // O_RDONLY|O_CLOEXEC
  kPipeFlags,       // O_CLOEXEC, without an access mode
  kEventFlags,      // EFD_CLOEXEC|EFD_NONBLOCK; timerfd_create has the same bits
  kEpollFlags,      // EPOLL_CLOEXEC
  kEpollOperation,  // EPOLL_CTL_ADD
  kFutexOperation,  // FUTEX_WAKE_PRIVATE
  kControl,         // F_SETFL, of fcntl
  kProtection,      // PROT_READ|PROT_WRITE
  kMapFlags,        // MAP_PRIVATE|MAP_ANONYMOUS
  kAdvice,          // MADV_DONTNEED
  kCloneFlags,      // CLONE_VM|…|SIGCHLD
  kSignal,          // SIGTERM
  kSignalMask,      // SIG_BLOCK
  kRingFlags,       // IORING_ENTER_GETEVENTS, of io_uring_enter
};

std::string flag_text(FlagKind kind, uint64_t value);

// "0", "0x80".
std::string hex_text(uint64_t value);

// "SIGTERM".
std::string signal_name(int signal);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_FLAG_NAMES_H_
