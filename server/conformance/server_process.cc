#include "server/conformance/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

namespace hotlap::conformance {
namespace {

constexpr int kStartMs = 20000;  // sanitizers start slowly on a busy machine
[[maybe_unused]] constexpr int kCountingMs = 2000;

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

[[noreturn]] void become(std::vector<char*>& arguments, int out, int err, unsigned max_files,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);  // it ended before the line above
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (max_files > 0) {
    rlimit files{max_files, max_files};
    setrlimit(RLIMIT_NOFILE, &files);
  }
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

ServerProcess::ServerProcess(std::vector<std::string> command, unsigned max_files) {
  if (std::find(command.begin(), command.end(), "--listen") == command.end()) {
    command.insert(command.end(), {"--listen", "127.0.0.1:0"});
  }
  for (const std::string& argument : command) {
    endpoint_.tls |= argument.find("transport=tls") != std::string::npos;
  }
  start(command, max_files);
  if (error_.empty()) read_first_line();
}

ServerProcess::~ServerProcess() {
#ifdef HOTLAP_COVERAGE
  // What is killed does not tell which lines it ran.
  send_signal(SIGTERM);
  wait_for_exit(kCountingMs);
#endif
  if (pid_ > 0 && !exit_code_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_fd(exit_fd_);
  close_fd(stdout_);
  close_fd(stderr_);
}

void ServerProcess::start(std::vector<std::string>& command, unsigned max_files) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0) {
    error_ = std::strerror(errno);
    return;
  }
  if (pipe2(err, O_CLOEXEC) != 0) {
    error_ = std::strerror(errno);
    close(out[0]);
    close(out[1]);
    return;
  }
  pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(arguments, out[1], err[1], max_files, parent);
  close(out[1]);
  close(err[1]);
  stdout_ = out[0];
  stderr_ = err[0];
  fcntl(stderr_, F_SETFL, O_NONBLOCK);
  exit_fd_ = pid_ < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (pid_ < 0 || exit_fd_ < 0) error_ = "cannot start " + command[0];
}

void ServerProcess::read_first_line() {
  char c = 0;
  pollfd ready{stdout_, POLLIN, 0};
  while (poll(&ready, 1, kStartMs) > 0 && read(stdout_, &c, 1) == 1 && c != '\n') first_line_ += c;
  size_t colon = first_line_.rfind(':');
  static constexpr std::string_view kSays = "listening on ";
  if (!first_line_.starts_with(kSays) || colon == std::string::npos) {
    if (poll(&ready, 1, 0) > 0) wait_for_exit(1000);  // so that its reason is complete
    error_ = "no address in the first line '" + first_line_ + "'; stderr: " + stderr_text();
    return;
  }
  std::string_view host = std::string_view(first_line_).substr(kSays.size(), colon - kSays.size());
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  endpoint_.host = host;
  std::from_chars(first_line_.data() + colon + 1, first_line_.data() + first_line_.size(),
                  endpoint_.port);
}

void ServerProcess::send_signal(int signal) const {
  if (pid_ > 0 && !exit_code_) kill(pid_, signal);
}

std::optional<int> ServerProcess::wait_for_exit(int timeout_ms) {
  if (exit_code_ || pid_ <= 0) return exit_code_;
  pollfd exited{exit_fd_, POLLIN, 0};
  if (poll(&exited, 1, timeout_ms) <= 0) return std::nullopt;
  int status = 0;
  waitpid(pid_, &status, 0);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

bool ServerProcess::running() { return !wait_for_exit(0); }

double ServerProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec spent{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &spent) != 0) return -1;
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

long ServerProcess::resident_kib() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  }
  return -1;
}

std::string ServerProcess::sanitizer_report() {
  std::string text = stderr_text();
  for (const char* sign : {"Sanitizer:", "runtime error:"}) {
    if (text.find(sign) != std::string::npos) return text;
  }
  return "";
}

std::string ServerProcess::stderr_text() {
  std::array<char, 4096> buffer;
  for (;;) {
    ssize_t got = read(stderr_, buffer.data(), buffer.size());
    if (got <= 0) return stderr_text_;
    stderr_text_.append(buffer.data(), static_cast<size_t>(got));
  }
}

}  // namespace hotlap::conformance
