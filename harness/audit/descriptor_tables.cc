// See descriptor_tables.h.
#include "harness/audit/descriptor_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hotlap::audit {
namespace {

// Every call's flag of that meaning has this bit: SOCK_CLOEXEC, EPOLL_CLOEXEC, EFD_CLOEXEC, …
constexpr uint64_t kClosesOnExec = O_CLOEXEC;
constexpr int kAlways = -1;
constexpr int kNever = -2;
constexpr uint64_t kTypeBits = 0xf;
constexpr char kUnknown[] = "descriptor";

// A call whose result is a descriptor of one kind.
struct Maker {
  std::string_view call;
  const char* annotation;
  int flags;  // the argument that may hold O_CLOEXEC
};
constexpr std::array<Maker, 16> kMakers = {{
    {"epoll_create", "anon_inode:[eventpoll]", kNever},
    {"epoll_create1", "anon_inode:[eventpoll]", 0},
    {"eventfd", "anon_inode:[eventfd]", kNever},
    {"eventfd2", "anon_inode:[eventfd]", 1},
    {"timerfd_create", "anon_inode:[timerfd]", 1},
    {"signalfd", "anon_inode:[signalfd]", kNever},
    {"signalfd4", "anon_inode:[signalfd]", 3},
    {"inotify_init", "anon_inode:inotify", kNever},
    {"inotify_init1", "anon_inode:inotify", 0},
    {"io_uring_setup", "anon_inode:[io_uring]", kAlways},
    {"pidfd_open", "anon_inode:[pidfd]", kAlways},
    {"memfd_create", "file", kNever},
    {"open", "file", 1},
    {"openat", "file", 2},
    {"openat2", "file", kNever},
    {"creat", "file", kNever},
}};

std::string socket_annotation(uint64_t domain, uint64_t type) {
  const bool six = domain == AF_INET6;
  if (domain == AF_UNIX) return "UNIX:[0]";
  if (domain == AF_NETLINK) return "NETLINK:[0]";
  if (domain != AF_INET && !six) return "socket:[0]";
  const uint64_t kind = type & kTypeBits;
  if (kind == SOCK_STREAM) return six ? "TCPv6:[0]" : "TCP:[0]";
  return kind == SOCK_DGRAM ? "UDP:[0]" : "socket:[0]";
}

bool is_tcp(std::string_view annotation) { return annotation.starts_with("TCP"); }

int64_t lowest_free(const Descriptors& table) {
  int64_t free = 0;
  for (const auto& [fd, descriptor] : table) {
    if (fd != free) break;
    ++free;
  }
  return free;
}

bool closes_on_exec(const std::filesystem::path& fdinfo) {
  std::ifstream file(fdinfo);
  std::string word;
  while (file >> word && word != "flags:") {
  }
  uint64_t flags = 0;
  file >> std::oct >> flags;
  return (flags & kClosesOnExec) != 0;
}

}  // namespace

// Of the table of one process, by one call.
class DescriptorTables::Change {
 public:
  Change(Descriptors& table, uint16_t port, const RawCall& call)
      : table_(table), port_(port), call_(call), result_(*call.result) {}

  // True when the result is a descriptor.
  bool apply() {
    if (call_.name == "close" && result_ != -EBADF) table_.erase(fd(0));
    if (call_.name == "connect" && (result_ == 0 || result_ == -EINPROGRESS)) connect();
    if (result_ < 0) return false;
    return make() || make_socket() || duplicate() || change();
  }

 private:
  int64_t fd(size_t argument) const { return as_int(call_.arguments[argument]); }
  bool is(std::string_view name) const { return call_.name == name; }

  bool put(std::string annotation, bool closes) {
    table_[result_] = {std::move(annotation), closes};
    return true;
  }
  bool has_flag(size_t argument) const { return (call_.arguments[argument] & kClosesOnExec) != 0; }

  bool make() {
    const auto* const maker = std::find_if(kMakers.begin(), kMakers.end(),
                                           [this](const Maker& one) { return is(one.call); });
    if (maker == kMakers.end()) return false;
    const bool flagged = maker->flags >= 0 && has_flag(static_cast<size_t>(maker->flags));
    return put(maker->annotation, maker->flags == kAlways || flagged);
  }

  bool make_socket() {
    if (is("socket")) {
      return put(socket_annotation(call_.arguments[0], call_.arguments[1]), has_flag(1));
    }
    if (!is("accept") && !is("accept4")) return false;
    const auto listener = table_.find(fd(0));
    std::string annotation = "socket:[0]";
    if (listener != table_.end() && !is_tcp(listener->second.annotation)) {
      annotation = listener->second.annotation;
    } else if (listener != table_.end()) {
      annotation = absl::StrCat("TCP:[127.0.0.1:", port_, "->127.0.0.1:1]");
    }
    return put(std::move(annotation), is("accept4") && has_flag(3));
  }

  bool duplicate() {
    const bool by_control =
        is("fcntl") && (call_.arguments[1] == F_DUPFD || call_.arguments[1] == F_DUPFD_CLOEXEC);
    if (!is("dup") && !is("dup2") && !is("dup3") && !by_control) return false;
    const bool closes =
        (is("dup3") && has_flag(2)) || (by_control && call_.arguments[1] == F_DUPFD_CLOEXEC);
    const auto found = table_.find(fd(0));
    return put(found == table_.end() ? kUnknown : found->second.annotation, closes);
  }

  // What makes none by its result.
  bool change() {
    if (is("pipe")) put_pair("pipe:[0]", false);
    if (is("pipe2")) put_pair("pipe:[0]", has_flag(1));
    if (is("socketpair")) {
      put_pair(socket_annotation(call_.arguments[0], call_.arguments[1]), has_flag(1));
    }
    if (is("listen")) listen();
    if (is("fcntl") && call_.arguments[1] == F_SETFD && table_.contains(fd(0))) {
      table_[fd(0)].closes_on_exec = (call_.arguments[2] & FD_CLOEXEC) != 0;
    }
    if (is("close_range")) close_range();
    if (is("execve") || is("execveat")) {
      std::erase_if(table_, [](const auto& entry) { return entry.second.closes_on_exec; });
    }
    return false;
  }

  // The kernel writes their numbers to memory; they are the lowest that are free.
  void put_pair(const std::string& annotation, bool closes) {
    for (int end = 0; end < 2; ++end) table_[lowest_free(table_)] = {annotation, closes};
  }

  void listen() {
    const auto socket = table_.find(fd(0));
    if (socket == table_.end() || !is_tcp(socket->second.annotation)) return;
    socket->second.annotation = absl::StrCat("TCP:[127.0.0.1:", port_, "]");
  }

  void connect() {
    const auto socket = table_.find(fd(0));
    if (socket == table_.end() || !is_tcp(socket->second.annotation)) return;
    socket->second.annotation = "TCP:[127.0.0.1:0->127.0.0.1:1]";
  }

  void close_range() {
    const bool later = (call_.arguments[2] & CLOSE_RANGE_CLOEXEC) != 0;
    const auto within = [&](int64_t one) {
      const auto number = static_cast<uint64_t>(one);
      return number >= (call_.arguments[0] & UINT32_MAX) &&
             number <= (call_.arguments[1] & UINT32_MAX);
    };
    if (!later) std::erase_if(table_, [&](const auto& entry) { return within(entry.first); });
    for (auto& [one, descriptor] : table_) descriptor.closes_on_exec |= later && within(one);
  }

  Descriptors& table_;
  uint16_t port_;
  const RawCall& call_;
  int64_t result_;
};

Descriptors descriptors_of(pid_t process) {
  const std::filesystem::path directory = absl::StrCat("/proc/", process);
  Descriptors found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "fd", error)) {
    const std::string name = entry.path().filename();
    int64_t fd = 0;
    const auto target = std::filesystem::read_symlink(entry.path(), error);
    if (error || !absl::SimpleAtoi(name, &fd)) continue;
    found[fd] = {target.string(), closes_on_exec(directory / "fdinfo" / name)};
  }
  return found;
}

void DescriptorTables::begin(pid_t process, Descriptors descriptors) {
  tables_[process] = std::make_shared<Descriptors>(std::move(descriptors));
}

void DescriptorTables::fork(pid_t parent, pid_t child, bool shares) {
  auto& table = tables_[parent];
  if (table == nullptr) table = std::make_shared<Descriptors>();
  tables_[child] = shares ? table : std::make_shared<Descriptors>(*table);
}

std::string DescriptorTables::annotation(pid_t process, int64_t fd) const {
  const auto table = tables_.find(process);
  if (table == tables_.end()) return kUnknown;
  const auto found = table->second->find(fd);
  return found == table->second->end() ? kUnknown : found->second.annotation;
}

bool DescriptorTables::learn(pid_t process, const RawCall& call) {
  if (!call.result) return false;
  auto& table = tables_[process];
  if (table == nullptr) table = std::make_shared<Descriptors>();
  return Change(*table, port_, call).apply();
}

}  // namespace hotlap::audit
