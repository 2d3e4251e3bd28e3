// See watcher.h. Launchers are started by posix_spawn: between the fork and the exec of a process
// with other threads and gRPC in it, nothing of ours runs.
#include "harness/targets/watcher.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace hotlap::targets {
namespace {

using capture::UniqueFd;

constexpr absl::Duration kEndPatience = absl::Seconds(5);

struct Ends {
  UniqueFd ours;
  UniqueFd theirs;
};

absl::StatusOr<Ends> make_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe for a target's output");
  }
  Ends ends{UniqueFd(fds[0]), UniqueFd(fds[1])};
  fcntl(fds[0], F_SETFL, O_NONBLOCK);
  return ends;
}

absl::StatusOr<Ends> make_control() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a launcher's control socket");
  }
  Ends ends{UniqueFd(fds[0]), UniqueFd(fds[1])};
  const int on = 1;
  if (setsockopt(fds[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return absl::ErrnoToStatus(errno, "cannot ask for credentials on the control socket");
  }
  return ends;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// posix_spawn's attributes: own session, no blocked and no ignored signals (gRPC ignores SIGPIPE).
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnAttributes() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  // The descriptors must be above kControlFd, so that none is overwritten before it is used.
  int spawn(SpawnRequest& request, int control, int out, int err, pid_t* pid) {
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, 1);
    posix_spawn_file_actions_adddup2(&actions_, err, 2);
    posix_spawn_file_actions_adddup2(&actions_, control, kControlFd);
    posix_spawn_file_actions_addclosefrom_np(&actions_, kControlFd + 1);
    return posix_spawn(pid, request.argv.at(0).c_str(), &actions_, &attributes_,
                       pointers_to(request.argv).data(), pointers_to(request.environment).data());
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

UniqueFd above_control(UniqueFd fd) {
  if (fd.get() > kControlFd) return fd;
  return UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, kControlFd + 1));
}

absl::StatusOr<std::shared_ptr<WatchedProcess>> spawn_launcher(SpawnRequest& request) {
  absl::StatusOr<Ends> control = make_control();
  if (!control.ok()) return control.status();
  absl::StatusOr<Ends> out = make_pipe();
  if (!out.ok()) return out.status();
  absl::StatusOr<Ends> err = make_pipe();
  if (!err.ok()) return err.status();
  const UniqueFd their_control = above_control(std::move(control->theirs));
  const UniqueFd their_out = above_control(std::move(out->theirs));
  const UniqueFd their_err = above_control(std::move(err->theirs));
  pid_t pid = 0;
  SpawnAttributes attributes;
  const int error =
      attributes.spawn(request, their_control.get(), their_out.get(), their_err.get(), &pid);
  if (error != 0) {
    return absl::ErrnoToStatus(error, absl::StrCat("cannot start the launcher ", request.argv[0]));
  }
  // Our child and not reaped by anyone else, so that the pid is still its own.
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid()) {
    const int open_error = errno;
    kill(pid, SIGKILL);
    return absl::ErrnoToStatus(open_error, "cannot watch the launcher (pidfd_open)");
  }
  return std::make_shared<WatchedProcess>(pid, request.pid_namespace, std::move(pidfd),
                                          std::move(control->ours), std::move(out->ours),
                                          std::move(err->ours));
}

void pin(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

absl::StatusOr<std::shared_ptr<Watcher>> Watcher::create(const std::vector<int>& cpus) {
  std::shared_ptr<Watcher> watcher(new Watcher);  // the constructor is private
  watcher->epoll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  watcher->wake_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!watcher->epoll_.valid() || !watcher->wake_.valid()) {
    return absl::ErrnoToStatus(errno, "cannot make the watcher of targets");
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = watcher->wake_.get();
  if (epoll_ctl(watcher->epoll_.get(), EPOLL_CTL_ADD, watcher->wake_.get(), &event) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make the watcher of targets");
  }
  Watcher* const raw = watcher.get();
  watcher->thread_ = std::thread([raw, cpus] { raw->run(cpus); });
  return watcher;
}

Watcher::~Watcher() {
  if (!thread_.joinable()) return;
  stop();
  thread_.join();
}

void Watcher::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(wake_.get(), 1);
}

absl::StatusOr<std::shared_ptr<WatchedProcess>> Watcher::spawn(SpawnRequest request) {
  std::future<Spawned> result;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return absl::CancelledError("cancelled: the targets are being ended");
    orders_.push_back({std::move(request), {}});
    result = orders_.back().result.get_future();
  }
  eventfd_write(wake_.get(), 1);
  return result.get();
}

void Watcher::run(const std::vector<int>& cpus) {
  pthread_setname_np(pthread_self(), "hotlap-spawner");
  pin(cpus);
  absl::Time give_up = absl::InfiniteFuture();
  bool stopping = false;
  while (!stopping || !watched_.empty()) {
    epoll_event events[16];
    const int n = epoll_wait(epoll_.get(), events, 16, stopping ? 100 : -1);
    for (int i = 0; i < n; ++i) {
      if (events[i].data.fd == wake_.get()) {
        take_orders();
      } else {
        serve(events[i].data.fd);
      }
    }
    const std::lock_guard lock(mutex_);
    if (stopping_ && !stopping) {
      stopping = true;
      give_up = absl::Now() + kEndPatience;
      for (const auto& [fd, watched] : watched_) watched.process->request_end();
    }
    if (absl::Now() > give_up) {
      for (const auto& [fd, watched] : watched_) watched.process->kill_launcher();
      give_up = absl::InfiniteFuture();
    }
  }
  // An order that came in with the stop itself.
  const std::lock_guard lock(mutex_);
  for (Order& order : orders_) order.result.set_value(absl::CancelledError("cancelled"));
  orders_.clear();
}

void Watcher::take_orders() {
  eventfd_t ignored;
  eventfd_read(wake_.get(), &ignored);
  std::deque<Order> orders;
  {
    const std::lock_guard lock(mutex_);
    orders.swap(orders_);
  }
  for (Order& order : orders) {
    Spawned spawned = spawn_launcher(order.request);
    if (spawned.ok()) add(*spawned);
    order.result.set_value(std::move(spawned));
  }
}

void Watcher::add(const std::shared_ptr<WatchedProcess>& process) {
  watch(process->control_.get(), process, Stream::kControl);
  watch(process->out_.get(), process, Stream::kOut);
  watch(process->err_.get(), process, Stream::kErr);
  watch(process->launcher_pidfd_.get(), process, Stream::kLauncher);
}

void Watcher::watch(int fd, const std::shared_ptr<WatchedProcess>& process, Stream stream) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) {
    watched_.emplace(fd, Watched{process, stream});
  } else {
    process->request_end();  // unwatched it would block one day: better that it ends at once
  }
}

void Watcher::forget(int fd) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  watched_.erase(fd);
}

void Watcher::serve(int fd) {
  const auto at = watched_.find(fd);
  if (at == watched_.end()) return;
  const Watched watched = at->second;
  bool open = true;
  switch (watched.stream) {
    case Stream::kControl:
      open = watched.process->read_control();
      break;
    case Stream::kOut:
    case Stream::kErr:
      open = watched.process->read_output(fd, watched.stream == Stream::kOut);
      break;
    case Stream::kLauncher:
      finish(watched.process);
      return;
  }
  if (!open) forget(fd);
}

void Watcher::finish(const std::shared_ptr<WatchedProcess>& process) {
  for (const int fd : {process->control_.get(), process->out_.get(), process->err_.get(),
                       process->launcher_pidfd_.get()}) {
    forget(fd);
  }
  process->finish_ended();
}

}  // namespace hotlap::targets
