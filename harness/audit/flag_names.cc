// See flag_names.h. The order of bits within a kind is that of strace.
#include "harness/audit/flag_names.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace hotlap::audit {
namespace {

struct Name {
  uint64_t value;
  std::string_view name;
};
using Names = std::span<const Name>;

#define HOTLAP_NAMED(constant) \
  { static_cast<uint64_t>(constant), #constant }

constexpr Name kDomains[] = {HOTLAP_NAMED(AF_UNIX), HOTLAP_NAMED(AF_INET), HOTLAP_NAMED(AF_INET6),
                             HOTLAP_NAMED(AF_NETLINK)};
constexpr Name kSocketTypes[] = {HOTLAP_NAMED(SOCK_STREAM), HOTLAP_NAMED(SOCK_DGRAM),
                                 HOTLAP_NAMED(SOCK_RAW)};
constexpr Name kSocketFlags[] = {HOTLAP_NAMED(SOCK_CLOEXEC), HOTLAP_NAMED(SOCK_NONBLOCK)};
constexpr Name kMessageFlags[] = {HOTLAP_NAMED(MSG_PEEK),     HOTLAP_NAMED(MSG_TRUNC),
                                  HOTLAP_NAMED(MSG_DONTWAIT), HOTLAP_NAMED(MSG_WAITALL),
                                  HOTLAP_NAMED(MSG_NOSIGNAL), HOTLAP_NAMED(MSG_MORE),
                                  HOTLAP_NAMED(MSG_ZEROCOPY), HOTLAP_NAMED(MSG_CMSG_CLOEXEC)};
constexpr Name kRingFlags[] = {
    HOTLAP_NAMED(IORING_ENTER_GETEVENTS), HOTLAP_NAMED(IORING_ENTER_SQ_WAKEUP),
    HOTLAP_NAMED(IORING_ENTER_SQ_WAIT), HOTLAP_NAMED(IORING_ENTER_EXT_ARG),
    HOTLAP_NAMED(IORING_ENTER_REGISTERED_RING)};
constexpr Name kOptionLevels[] = {HOTLAP_NAMED(SOL_SOCKET), HOTLAP_NAMED(SOL_TCP)};
constexpr Name kSocketOptions[] = {
    HOTLAP_NAMED(SO_REUSEADDR), HOTLAP_NAMED(SO_REUSEPORT), HOTLAP_NAMED(SO_KEEPALIVE),
    HOTLAP_NAMED(SO_LINGER),    HOTLAP_NAMED(SO_SNDBUF),    HOTLAP_NAMED(SO_RCVBUF),
    HOTLAP_NAMED(SO_ERROR),     HOTLAP_NAMED(SO_BROADCAST), HOTLAP_NAMED(SO_ZEROCOPY)};
constexpr Name kTcpOptions[] = {HOTLAP_NAMED(TCP_NODELAY),      HOTLAP_NAMED(TCP_CORK),
                                HOTLAP_NAMED(TCP_QUICKACK),     HOTLAP_NAMED(TCP_DEFER_ACCEPT),
                                HOTLAP_NAMED(TCP_KEEPIDLE),     HOTLAP_NAMED(TCP_KEEPINTVL),
                                HOTLAP_NAMED(TCP_KEEPCNT),      HOTLAP_NAMED(TCP_FASTOPEN),
                                HOTLAP_NAMED(TCP_USER_TIMEOUT), HOTLAP_NAMED(TCP_INFO)};
constexpr Name kShutdowns[] = {HOTLAP_NAMED(SHUT_RD), HOTLAP_NAMED(SHUT_WR),
                               HOTLAP_NAMED(SHUT_RDWR)};
constexpr Name kAccessModes[] = {HOTLAP_NAMED(O_RDONLY), HOTLAP_NAMED(O_WRONLY),
                                 HOTLAP_NAMED(O_RDWR)};
constexpr Name kOpenFlags[] = {
    HOTLAP_NAMED(O_CREAT),     HOTLAP_NAMED(O_EXCL),     HOTLAP_NAMED(O_NOCTTY),
    HOTLAP_NAMED(O_TRUNC),     HOTLAP_NAMED(O_APPEND),   HOTLAP_NAMED(O_NONBLOCK),
    HOTLAP_NAMED(O_DIRECTORY), HOTLAP_NAMED(O_NOFOLLOW), HOTLAP_NAMED(O_CLOEXEC)};
constexpr Name kEventFlags[] = {HOTLAP_NAMED(EFD_SEMAPHORE), HOTLAP_NAMED(EFD_CLOEXEC),
                                HOTLAP_NAMED(EFD_NONBLOCK)};
constexpr Name kEpollFlags[] = {HOTLAP_NAMED(EPOLL_CLOEXEC)};
constexpr Name kEpollOperations[] = {HOTLAP_NAMED(EPOLL_CTL_ADD), HOTLAP_NAMED(EPOLL_CTL_DEL),
                                     HOTLAP_NAMED(EPOLL_CTL_MOD)};
constexpr Name kFutexOperations[] = {
    HOTLAP_NAMED(FUTEX_WAIT),       HOTLAP_NAMED(FUTEX_WAKE),
    HOTLAP_NAMED(FUTEX_REQUEUE),    HOTLAP_NAMED(FUTEX_CMP_REQUEUE),
    HOTLAP_NAMED(FUTEX_WAKE_OP),    HOTLAP_NAMED(FUTEX_LOCK_PI),
    HOTLAP_NAMED(FUTEX_UNLOCK_PI),  HOTLAP_NAMED(FUTEX_WAIT_BITSET),
    HOTLAP_NAMED(FUTEX_WAKE_BITSET)};
constexpr Name kControls[] = {HOTLAP_NAMED(F_DUPFD), HOTLAP_NAMED(F_GETFD),
                              HOTLAP_NAMED(F_SETFD), HOTLAP_NAMED(F_GETFL),
                              HOTLAP_NAMED(F_SETFL), HOTLAP_NAMED(F_DUPFD_CLOEXEC)};
constexpr Name kProtections[] = {HOTLAP_NAMED(PROT_READ), HOTLAP_NAMED(PROT_WRITE),
                                 HOTLAP_NAMED(PROT_EXEC)};
constexpr Name kMapFlags[] = {HOTLAP_NAMED(MAP_SHARED),    HOTLAP_NAMED(MAP_PRIVATE),
                              HOTLAP_NAMED(MAP_FIXED),     HOTLAP_NAMED(MAP_ANONYMOUS),
                              HOTLAP_NAMED(MAP_DENYWRITE), HOTLAP_NAMED(MAP_NORESERVE),
                              HOTLAP_NAMED(MAP_POPULATE),  HOTLAP_NAMED(MAP_STACK)};
constexpr Name kAdvices[] = {HOTLAP_NAMED(MADV_DONTNEED), HOTLAP_NAMED(MADV_FREE),
                             HOTLAP_NAMED(MADV_HUGEPAGE), HOTLAP_NAMED(MADV_NOHUGEPAGE)};
constexpr Name kCloneFlags[] = {HOTLAP_NAMED(CLONE_VM),
                                HOTLAP_NAMED(CLONE_FS),
                                HOTLAP_NAMED(CLONE_FILES),
                                HOTLAP_NAMED(CLONE_SIGHAND),
                                HOTLAP_NAMED(CLONE_VFORK),
                                HOTLAP_NAMED(CLONE_THREAD),
                                HOTLAP_NAMED(CLONE_SYSVSEM),
                                HOTLAP_NAMED(CLONE_SETTLS),
                                HOTLAP_NAMED(CLONE_PARENT_SETTID),
                                HOTLAP_NAMED(CLONE_CHILD_CLEARTID),
                                HOTLAP_NAMED(CLONE_CHILD_SETTID)};
constexpr Name kSignalMasks[] = {HOTLAP_NAMED(SIG_BLOCK), HOTLAP_NAMED(SIG_UNBLOCK),
                                 HOTLAP_NAMED(SIG_SETMASK)};

#undef HOTLAP_NAMED

constexpr uint64_t kSocketTypeBits = 0xf;
constexpr uint64_t kFutexCommandBits = 0x7f;
constexpr uint64_t kExitSignalBits = 0xff;

std::string one_of(Names names, uint64_t value) {
  for (const Name& known : names) {
    if (known.value == value) return std::string(known.name);
  }
  return hex_text(value);
}

// Behind `text`, unless it is empty, with a bar.
void append(std::string& text, std::string_view more) {
  if (!text.empty()) text += '|';
  text += more;
}

std::string bits(Names names, uint64_t value, std::string text = "") {
  for (const Name& known : names) {
    if ((value & known.value) == 0) continue;
    append(text, known.name);
    value &= ~known.value;
  }
  if (value != 0 || text.empty()) append(text, hex_text(value));
  return text;
}

std::string futex_text(uint64_t value) {
  std::string text = one_of(kFutexOperations, value & kFutexCommandBits);
  if ((value & FUTEX_PRIVATE_FLAG) != 0) text += "_PRIVATE";
  if ((value & FUTEX_CLOCK_REALTIME) != 0) append(text, "FUTEX_CLOCK_REALTIME");
  return text;
}

std::string clone_text(uint64_t value) {
  const auto signal = static_cast<int>(value & kExitSignalBits);
  const uint64_t flags = value & ~kExitSignalBits;
  std::string text = flags == 0 ? "" : bits(kCloneFlags, flags);
  if (signal != 0 || text.empty()) append(text, signal == 0 ? "0" : signal_name(signal));
  return text;
}

// A word for its low part, then bits.
std::string word_and_bits(Names words, uint64_t word_bits, Names flags, uint64_t value) {
  const std::string word = one_of(words, value & word_bits);
  const uint64_t rest = value & ~word_bits;
  return rest == 0 ? word : bits(flags, rest, word);
}

}  // namespace

std::string hex_text(uint64_t value) {
  return value == 0 ? "0" : absl::StrCat("0x", absl::Hex(value));
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  if (name != nullptr) return absl::StrCat("SIG", name);
  return signal >= 32 ? absl::StrCat("SIGRT_", signal - 32) : absl::StrCat(signal);
}

std::string flag_text(FlagKind kind, uint64_t value) {
  value &= UINT32_MAX;
  switch (kind) {
    case FlagKind::kDomain:
      return one_of(kDomains, value);
    case FlagKind::kSocketType:
      return word_and_bits(kSocketTypes, kSocketTypeBits, kSocketFlags, value);
    case FlagKind::kSocketFlags:
      return bits(kSocketFlags, value);
    case FlagKind::kMessageFlags:
      return bits(kMessageFlags, value);
    case FlagKind::kOptionLevel:
      return one_of(kOptionLevels, value);
    case FlagKind::kSocketOption:
      return one_of(kSocketOptions, value);
    case FlagKind::kTcpOption:
      return one_of(kTcpOptions, value);
    case FlagKind::kShutdown:
      return one_of(kShutdowns, value);
    case FlagKind::kOpenFlags:
      return word_and_bits(kAccessModes, O_ACCMODE, kOpenFlags, value);
    case FlagKind::kPipeFlags:
      return bits(kOpenFlags, value);
    case FlagKind::kEventFlags:
      return bits(kEventFlags, value);
    case FlagKind::kEpollFlags:
      return bits(kEpollFlags, value);
    case FlagKind::kEpollOperation:
      return one_of(kEpollOperations, value);
    case FlagKind::kFutexOperation:
      return futex_text(value);
    case FlagKind::kControl:
      return one_of(kControls, value);
    case FlagKind::kProtection:
      return value == PROT_NONE ? "PROT_NONE" : bits(kProtections, value);
    case FlagKind::kMapFlags:
      return bits(kMapFlags, value);
    case FlagKind::kAdvice:
      return one_of(kAdvices, value);
    case FlagKind::kCloneFlags:
      return clone_text(value);
    case FlagKind::kSignal:
      return signal_name(static_cast<int>(value));
    case FlagKind::kSignalMask:
      return one_of(kSignalMasks, value);
    case FlagKind::kRingFlags:
      return bits(kRingFlags, value);
  }
  return hex_text(value);
}

}  // namespace hotlap::audit
