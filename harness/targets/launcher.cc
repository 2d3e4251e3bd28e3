// hotlap-launch: stands between a Spawner and one server under test, so that the server and all
// that it forks die with the Spawner, and so that counters can be opened before its first
// instruction. It is started by a Spawner only (descriptor 3 is their socket):
//
//   hotlap-launch --namespace|--subreaper [--cpus LIST] [--padding BYTES] [--traceable]
//                 [--env NAME=VALUE]… -- PROGRAM ARGUMENT…
//   hotlap-launch --probe        exits 0 when PID namespaces are allowed, else with the errno
//
// --namespace: this process forks pid 1 of a new PID namespace, which forks the target and reaps
// orphans. Parent-death signals run from the Spawner's thread to this process and on to pid 1,
// whose end makes the kernel end everything in the namespace. The target is not pid 1 itself: pid
// 1 ignores signals that it has no handler for. A PID namespace of a user namespace serves where
// the plain one is not permitted.
// --subreaper: orphans come to this process, which walks its tree and kills it when the Spawner
// goes away. Only if this process itself is killed by SIGKILL can a grandchild escape.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "harness/targets/launch_protocol.h"
#include "harness/targets/process_tree.h"

namespace hotlap::targets {
namespace {

constexpr int kFailed = 3;  // exit code of a launcher that could not do its part

struct Arguments {
  bool probe = false;
  bool pid_namespace = false;
  std::string cpus;
  size_t padding_bytes = 0;
  bool traceable = false;
  std::vector<char*> variables;  // NAME=VALUE, of the target alone: a preloaded library is not ours
  char** argv = nullptr;         // of the target
};

void send(LaunchMessageKind kind, int value, LaunchStep step = LaunchStep::kNone) {
  const LaunchMessage message{kind, value, step};
  // A peer that is gone has no use for it, and this process ends for that very reason.
  (void)!send(kControlFd, &message, sizeof message, MSG_NOSIGNAL);
}

[[noreturn]] void fail_setup(LaunchStep step) {
  send(LaunchMessageKind::kSetupFailed, errno, step);
  _exit(kFailed);
}

bool hung_up(int fd) {
  pollfd entry{fd, POLLRDHUP, 0};
  return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
}

// A signal on the parent's death, and a look whether that has happened before it was asked for.
// getppid() says nothing across namespaces, so `lifeline` is a descriptor whose peer the parent
// holds.
void die_with_parent(int signal, int lifeline) {
  if (prctl(PR_SET_PDEATHSIG, signal) != 0) fail_setup(LaunchStep::kParentDeathSignal);
  if (hung_up(lifeline)) _exit(kFailed);
}

pid_t fork_into(unsigned long namespace_flags) {
  return static_cast<pid_t>(
      syscall(SYS_clone, namespace_flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

bool write_text(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool whole = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return whole;
}

// Keeps user and group as they are within a user namespace of our own.
bool enter_user_namespace() {
  const std::string user = std::to_string(geteuid());
  const std::string group = std::to_string(getegid());
  return unshare(CLONE_NEWUSER) == 0 && write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", user + " " + user + " 1") &&
         write_text("/proc/self/gid_map", group + " " + group + " 1");
}

pid_t fork_into_pid_namespace() {
  const pid_t child = fork_into(CLONE_NEWPID);
  if (child >= 0 || errno != EPERM) return child;
  if (!enter_user_namespace()) return -1;
  return fork_into(CLONE_NEWPID);
}

int probe_namespace() {
  const pid_t child = fork_into_pid_namespace();
  if (child == 0) _exit(0);
  if (child < 0) return errno;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 ? 0 : ECHILD;
}

bool set_affinity(const std::string& list) {
  if (list.empty()) return true;
  cpu_set_t set;
  CPU_ZERO(&set);
  const char* at = list.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long cpu = std::strtol(at, &end, 10);
    if (end == at || cpu < 0 || cpu >= CPU_SETSIZE) {
      errno = EINVAL;
      return false;
    }
    CPU_SET(cpu, &set);
    at = *end == ',' ? end + 1 : end;
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Runs as the target-to-be: settles what exec inherits, waits to be told, becomes the target.
[[noreturn]] void become_target(const Arguments& arguments) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!set_affinity(arguments.cpus)) fail_setup(LaunchStep::kAffinity);
  if (arguments.padding_bytes > 0) {
    setenv("HOTLAP_PADDING", std::string(arguments.padding_bytes, 'x').c_str(), 1);
  }
  for (char* variable : arguments.variables) putenv(variable);
  // Where Yama lets a process be traced by its ancestors only, this one lets itself be traced by
  // any of its user; elsewhere the call fails and nothing is needed.
  if (arguments.traceable) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  send(LaunchMessageKind::kReady, 0);
  LaunchMessage message;
  ssize_t n;
  while ((n = recv(kControlFd, &message, sizeof message, 0)) < 0 && errno == EINTR) {
  }
  if (n != sizeof message || message.kind != LaunchMessageKind::kGo) _exit(kFailed);
  execvp(arguments.argv[0], arguments.argv);
  send(LaunchMessageKind::kExecFailed, errno);
  _exit(127);
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Reaps what can be reaped; true when no child is left. Tells of the root's end.
bool reap(pid_t root, int& root_status, int flags) {
  while (true) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, flags);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return true;
    if (pid == 0) return false;
    if (pid != root) continue;
    root_status = status;
    send(LaunchMessageKind::kRootEnded, status);
  }
}

// Pid 1 of the namespace: lives until the last process in it has ended.
[[noreturn]] void run_as_init(const Arguments& arguments, int lifeline) {
  die_with_parent(SIGKILL, lifeline);
  const pid_t root = fork();
  if (root < 0) fail_setup(LaunchStep::kFork);
  if (root == 0) become_target(arguments);
  int root_status = 0;
  reap(root, root_status, 0);
  _exit(exit_code_of(root_status));
}

// What this process waits for: the Spawner's end or order, and the end of children.
class Watch {
 public:
  Watch() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Watch() { close(signals_); }

  enum class Event { kChildEnded, kStop };
  Event wait() const {
    pollfd entries[] = {{kControlFd, POLLRDHUP, 0}, {signals_, POLLIN, 0}};
    while (true) {
      if (poll(entries, 2, -1) < 0) continue;
      if (entries[0].revents != 0) return Event::kStop;
      signalfd_siginfo info;
      while (read(signals_, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD) return Event::kStop;
      }
      return Event::kChildEnded;
    }
  }

 private:
  int signals_;
};

int run_namespace(const Arguments& arguments) {
  die_with_parent(SIGKILL, kControlFd);
  int lifeline[2];
  if (pipe2(lifeline, O_CLOEXEC) != 0) fail_setup(LaunchStep::kNamespace);
  const Watch watch;
  const pid_t init = fork_into_pid_namespace();
  if (init < 0) fail_setup(LaunchStep::kNamespace);
  if (init == 0) {
    close(lifeline[1]);
    run_as_init(arguments, lifeline[0]);
  }
  die_with_parent(SIGKILL, kControlFd);  // again: entering a user namespace may have cleared it
  int status = 0;
  while (true) {
    const bool stop = watch.wait() == Watch::Event::kStop;
    if (stop) kill(init, SIGKILL);
    const pid_t ended = waitpid(init, &status, stop ? 0 : WNOHANG);
    if (ended == init) return exit_code_of(status);
  }
}

// Every round kills all that it finds and then waits for one of its own children to end: these
// were all killed, so the wait is short, and whoever was forked meanwhile is found next round.
void kill_tree(pid_t root, int& root_status) {
  const pid_t self = getpid();
  while (true) {
    for (const pid_t pid : descendants(self)) kill(pid, SIGKILL);
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) return;
    if (ended == root) {
      root_status = status;
      send(LaunchMessageKind::kRootEnded, status);
    }
  }
}

int run_subreaper(const Arguments& arguments) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail_setup(LaunchStep::kParentDeathSignal);
  const Watch watch;
  die_with_parent(SIGTERM, kControlFd);  // caught: the tree has to be killed first
  const pid_t self = getpid();
  const pid_t root = fork();
  if (root < 0) fail_setup(LaunchStep::kFork);
  if (root == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail_setup(LaunchStep::kParentDeathSignal);
    if (getppid() != self) _exit(kFailed);
    become_target(arguments);
  }
  int root_status = 0;
  while (watch.wait() == Watch::Event::kChildEnded) {
    if (reap(root, root_status, WNOHANG)) return exit_code_of(root_status);
  }
  kill_tree(root, root_status);
  return exit_code_of(root_status);
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--probe") {
      arguments.probe = true;
      return true;
    }
    if (word == "--namespace" || word == "--subreaper") {
      arguments.pid_namespace = word == "--namespace";
    } else if (word == "--cpus" && i + 1 < argc) {
      arguments.cpus = argv[++i];
    } else if (word == "--padding" && i + 1 < argc) {
      arguments.padding_bytes = std::strtoul(argv[++i], nullptr, 10);
    } else if (word == "--env" && i + 1 < argc) {
      arguments.variables.push_back(argv[++i]);
    } else if (word == "--traceable") {
      arguments.traceable = true;
    } else if (word == "--" && i + 1 < argc) {
      arguments.argv = argv + i + 1;
      return true;
    } else {
      return false;
    }
  }
  return false;
}

}  // namespace
}  // namespace hotlap::targets

int main(int argc, char** argv) {
  using namespace hotlap::targets;
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "hotlap-launch: started by the hotlap agent, not by hand; "
                 "`hotlap agent --help` tells how targets are run\n");
    return kFailed;
  }
  if (arguments.probe) return probe_namespace();
  if (fcntl(kControlFd, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "hotlap-launch: descriptor 3 must be the agent's socket\n");
    return kFailed;
  }
  _exit(arguments.pid_namespace ? run_namespace(arguments) : run_subreaper(arguments));
}
