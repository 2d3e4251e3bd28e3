// See watched_process.h.
#include "harness/targets/watched_process.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "harness/targets/process_tree.h"

namespace hotlap::targets {

void OutputTail::append(const char* bytes, size_t count) {
  if (count > kBytes) {
    bytes += count - kBytes;
    count = kBytes;
  }
  if (kept_.size() + count > 2 * kBytes) kept_.erase(0, kept_.size() - kBytes);
  kept_.append(bytes, count);
}

std::string OutputTail::text() const {
  return kept_.size() <= kBytes ? kept_ : kept_.substr(kept_.size() - kBytes);
}

std::string describe_wait_status(int status) {
  if (WIFEXITED(status)) return absl::StrCat("exited with code ", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return absl::StrCat("killed by signal ", signal, " (", strsignal(signal), ")");
}

WatchedProcess::WatchedProcess(pid_t launcher_pid, bool pid_namespace,
                               capture::UniqueFd launcher_pidfd, capture::UniqueFd control,
                               capture::UniqueFd out, capture::UniqueFd err)
    : launcher_pid_(launcher_pid),
      pid_namespace_(pid_namespace),
      launcher_pidfd_(std::move(launcher_pidfd)),
      control_(std::move(control)),
      out_(std::move(out)),
      err_(std::move(err)) {}

WatchedProcess::State WatchedProcess::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::string WatchedProcess::output_tail() const {
  const std::lock_guard lock(mutex_);
  return tail_.text();
}

bool WatchedProcess::await(const std::function<bool(const State&)>& done,
                           absl::Time deadline) const {
  // Waits on the monotonic clock: a step of the wall clock neither cuts nor stretches it.
  const absl::Duration left = std::min(deadline - absl::Now(), absl::Hours(24));
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, absl::ToChronoNanoseconds(left), [&] { return done(state_); });
}

absl::Status WatchedProcess::go() {
  const LaunchMessage message{LaunchMessageKind::kGo, 0, LaunchStep::kNone};
  if (send(control_.get(), &message, sizeof message, MSG_NOSIGNAL) != sizeof message) {
    return absl::ErrnoToStatus(errno, "cannot tell the launcher to go on");
  }
  return absl::OkStatus();
}

void WatchedProcess::signal_root(int signal) const {
  const std::lock_guard lock(mutex_);
  if (root_pidfd_.valid()) syscall(SYS_pidfd_send_signal, root_pidfd_.get(), signal, nullptr, 0);
}

void WatchedProcess::request_end() const { shutdown(control_.get(), SHUT_WR); }

void WatchedProcess::kill_launcher() const {
  syscall(SYS_pidfd_send_signal, launcher_pidfd_.get(), SIGKILL, nullptr, 0);
}

std::vector<pid_t> WatchedProcess::tree() const {
  const State now = state();
  if (now.gone) return {};
  std::vector<pid_t> pids = descendants(launcher_pid_);
  // The launcher's one child in a namespace is pid 1 of it: a launcher too.
  if (pid_namespace_ && !pids.empty()) pids.erase(pids.begin());
  const auto root = std::find(pids.begin(), pids.end(), now.root_pid);
  if (root != pids.end()) std::rotate(pids.begin(), root, root + 1);
  return pids;
}

bool WatchedProcess::alive() const {
  const State now = state();
  if (now.gone || now.failure) return false;
  if (!now.root_status) return true;
  return *now.root_status == 0 && !tree().empty();
}

bool WatchedProcess::read_control() {
  while (true) {
    LaunchMessage message;
    iovec part{&message, sizeof message};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(ucred))];
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = space;
    header.msg_controllen = sizeof space;
    const ssize_t n = recvmsg(control_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    if (n != sizeof message) continue;
    pid_t sender = 0;
    for (cmsghdr* at = CMSG_FIRSTHDR(&header); at != nullptr; at = CMSG_NXTHDR(&header, at)) {
      if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_CREDENTIALS) continue;
      ucred credentials;
      memcpy(&credentials, CMSG_DATA(at), sizeof credentials);
      sender = credentials.pid;
    }
    if (message.kind != LaunchMessageKind::kReady) {
      // What the target printed before its end is known before its end is.
      read_output(out_.get(), true);
      read_output(err_.get(), false);
    }
    take_message(message, sender);
  }
}

void WatchedProcess::take_message(const LaunchMessage& message, pid_t sender) {
  const std::lock_guard lock(mutex_);
  switch (message.kind) {
    case LaunchMessageKind::kReady:
      // It waits for kGo now, so that its pid cannot have been given to another process.
      root_pidfd_ = capture::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, sender, 0)));
      state_.root_pid = sender;
      break;
    case LaunchMessageKind::kExecFailed:
    case LaunchMessageKind::kSetupFailed:
      state_.failure = message;
      break;
    case LaunchMessageKind::kRootEnded:
      state_.root_status = message.value;
      break;
    case LaunchMessageKind::kGo:
      break;
  }
  changed_.notify_all();
}

bool WatchedProcess::read_output(int fd, bool is_stdout) {
  char buffer[16 * 1024];
  // Bounded, so that a target which never stops printing leaves time for the others.
  for (int turn = 0; turn < 16; ++turn) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    take_output(buffer, static_cast<size_t>(n), is_stdout);
  }
  return true;
}

void WatchedProcess::take_output(const char* bytes, size_t count, bool is_stdout) {
  const std::lock_guard lock(mutex_);
  tail_.append(bytes, count);
  if (!is_stdout) return;
  bool news = false;
  for (size_t i = 0; i < count && state_.lines.size() < kLines; ++i) {
    if (bytes[i] == '\n' || line_bytes_ >= kLineBytes) {
      state_.lines.push_back(std::exchange(partial_line_, {}));
      news = true;
    } else {
      partial_line_.push_back(bytes[i]);
      ++line_bytes_;
    }
  }
  if (news) changed_.notify_all();
}

void WatchedProcess::finish_ended() {
  read_control();
  read_output(out_.get(), true);
  read_output(err_.get(), false);
  siginfo_t info{};
  waitid(static_cast<idtype_t>(P_PIDFD), launcher_pidfd_.get(), &info, WEXITED);
  const std::lock_guard lock(mutex_);
  if (!state_.root_status) {
    // The launcher was told to end it all, or was killed: pid 1 had no time to report.
    state_.root_status = SIGKILL;
  }
  state_.gone = true;
  changed_.notify_all();
}

void end_tree(const WatchedProcess& process) {
  const auto gone = [](const WatchedProcess::State& state) { return state.gone; };
  process.request_end();
  if (process.await(gone, absl::Now() + absl::Seconds(5))) return;
  // The launcher does not answer (stopped, say): its own end takes a namespace with it.
  process.kill_launcher();
  process.await(gone, absl::Now() + absl::Seconds(5));
}

}  // namespace hotlap::targets
