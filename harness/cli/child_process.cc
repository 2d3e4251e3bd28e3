// fork, exec, wait; see child_process.h.
#include "harness/cli/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::cli {
namespace {

// `output_fd` is where standard output goes, or -1.
[[noreturn]] void become(char* const* argv, char* const* environment, bool quiet, int output_fd) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (quiet) {
    const int null_fd = open("/dev/null", O_WRONLY);
    if (null_fd >= 0) dup2(null_fd, STDOUT_FILENO);
  }
  if (output_fd >= 0) dup2(output_fd, STDOUT_FILENO);
  execvpe(argv[0], argv, environment);
  _exit(127);
}

void append_all(int fd, std::string& text) {
  char bytes[4096];
  while (true) {
    const ssize_t n = read(fd, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR)) return;
    if (n > 0) text.append(bytes, static_cast<size_t>(n));
  }
}

}  // namespace

absl::StatusOr<int> run_child(const std::vector<std::string>& argv, const ChildOptions& options) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (const std::string& variable : options.environment) {
    environment.push_back(const_cast<char*>(variable.c_str()));
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  int pipe_fds[2] = {-1, -1};
  if (options.output != nullptr && pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return absl::InternalError(absl::StrCat("cannot make a pipe: ", strerror(errno)));
  }
  capture::UniqueFd read_end(pipe_fds[0]);
  capture::UniqueFd write_end(pipe_fds[1]);
  const pid_t pid = fork();
  if (pid == 0) become(arguments.data(), environment.data(), options.quiet, write_end.get());
  write_end.reset();
  if (pid < 0)
    return absl::InternalError(absl::StrCat("cannot start ", argv[0], ": ", strerror(errno)));
  if (options.output != nullptr) append_all(read_end.get(), *options.output);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    return absl::InternalError(absl::StrCat(argv[0], " was killed by signal ", WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == 127) {
    return absl::NotFoundError(absl::StrCat(argv[0], " cannot be run: is it there?"));
  }
  return WEXITSTATUS(status);
}

}  // namespace hotlap::cli
