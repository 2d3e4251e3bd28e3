// Starting and ending the local agent; see agent_process.h.
#include "harness/cli/agent_process.h"

#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hotlap::cli {
namespace {

constexpr int kStartTimeoutMs = 20000;
constexpr int kStopTimeoutMs = 5000;

absl::Status errno_status(const std::string& what) {
  return absl::InternalError(absl::StrCat(what, ": ", strerror(errno)));
}

// Runs in the child, between fork and exec.
[[noreturn]] void become_agent(const std::string& executable, const std::string& address,
                               const std::string& directory, int stdout_fd, pid_t parent) {
  // However the command ends, its agent stops in good order and removes what the two had.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(3);
  // Ctrl-C is for the command line, which then ends the agent in good order.
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(stdout_fd, STDOUT_FILENO);
  execl(executable.c_str(), executable.c_str(), "agent", "--listen", address.c_str(),
        "--private-directory", directory.c_str(), nullptr);
  _exit(3);
}

// The agent's first line, "listening on …", within the time allowed.
absl::Status await_listening(int fd) {
  std::string line;
  char byte;
  while (true) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, kStartTimeoutMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      return absl::DeadlineExceededError(
          absl::StrCat("the agent did not listen within ", kStartTimeoutMs / 1000, " s"));
    }
    const ssize_t n = read(fd, &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::InternalError("the agent ended before it listened");
    if (byte == '\n') break;
    line += byte;
  }
  if (absl::StartsWith(line, "listening on ")) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the agent said \"", line, "\" in place of its address"));
}

std::string describe_wait_status(int status) {
  if (WIFSIGNALED(status)) return absl::StrCat("was killed by signal ", WTERMSIG(status));
  return absl::StrCat("exited with code ", WEXITSTATUS(status));
}

}  // namespace

std::string binary_directory() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return ".";
  return std::filesystem::path(std::string(path, static_cast<size_t>(n))).parent_path().string();
}

AgentProcess::AgentProcess(pid_t pid, std::string directory)
    : pid_(pid),
      pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
      directory_(std::move(directory)) {}

absl::StatusOr<std::unique_ptr<AgentProcess>> AgentProcess::start() {
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (error) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the directory for temporary files (TMPDIR) cannot be used: ", error.message()));
  }
  std::string pattern = (temporary / "hotlap-agent-XXXXXX").string();
  if (pattern.size() + sizeof "/agent.sock" > sizeof(sockaddr_un::sun_path)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "a Unix socket's path may have ", sizeof(sockaddr_un::sun_path) - 1, " bytes, and ",
        pattern, "/agent.sock has more: set TMPDIR to a shorter path"));
  }
  // mkdtemp makes it with mode 0700.
  if (mkdtemp(pattern.data()) == nullptr) {
    return errno_status("cannot make a private directory for the agent's socket at " + pattern +
                        " (TMPDIR chooses another place)");
  }
  const std::string address = "unix:" + pattern + "/agent.sock";
  const std::string executable = binary_directory() + "/hotlap";
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) return errno_status("cannot make a pipe for the agent");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become_agent(executable, address, pattern, pipe_fds[1], parent);
  close(pipe_fds[1]);
  if (pid < 0) {
    close(pipe_fds[0]);
    return errno_status("cannot start the agent");
  }
  std::unique_ptr<AgentProcess> agent(new AgentProcess(pid, pattern));
  absl::Status listening = await_listening(pipe_fds[0]);
  close(pipe_fds[0]);
  if (!listening.ok()) return listening;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  agent->stub_ = hotlap::v1::Agent::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  return agent;
}

std::string AgentProcess::end_description(int patience_ms) {
  if (!ended_.empty() || pid_ <= 0) return ended_;
  pollfd waiting{pidfd_, POLLIN, 0};
  if (pidfd_ >= 0) poll(&waiting, 1, patience_ms);
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_ = describe_wait_status(status);
    pid_ = -1;
  }
  return ended_;
}

AgentProcess::~AgentProcess() {
  stub_.reset();
  if (end_description().empty()) {
    kill(pid_, SIGTERM);
    pollfd waiting{pidfd_, POLLIN, 0};
    if (pidfd_ < 0 || poll(&waiting, 1, kStopTimeoutMs) <= 0) kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (pidfd_ >= 0) close(pidfd_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace hotlap::cli
