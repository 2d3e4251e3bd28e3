// nginx with the reference servers' command line: writes a configuration, opens the listener, and
// runs nginx with both. nginx takes listeners over by number (NGINX=FD;, made for its own upgrades
// on the fly), so that port 0 works and no port is picked before it is bound. Once every worker has
// been started, what was written is removed, the address is printed, and this process sleeps until
// nginx ends or a signal comes: under load it costs nothing.
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "server/reference/flags.h"
#include "server/reference/listener.h"
#include "server/reference/nginx_configuration.h"

namespace hotlap::reference {
namespace {

constexpr int kExitError = 3;
constexpr uint64_t kMostConnections = 20000;  // as the lab's server
constexpr uint64_t kSpareFiles = 16;
constexpr std::string_view kStarted = "start worker process ";

bool can_run(const std::string& path) {
  std::error_code error;
  return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, error);
}

// An executable nginx, or "" and the reason printed. Its package puts it where only root's PATH
// looks.
std::string find_nginx() {
  constexpr char kRemedy[] =
      "install the package nginx, or name it with HOTLAP_NGINX=/path/to/nginx";
  if (const char* named = std::getenv("HOTLAP_NGINX")) {
    if (can_run(named)) return named;
    std::fprintf(stderr,
                 "hotlap-nginx: HOTLAP_NGINX is %s, which is no program that can be run: %s\n",
                 named, kRemedy);
    return "";
  }
  const char* path = std::getenv("PATH");
  std::string folders = std::string(path ? path : "") + ":/usr/local/sbin:/usr/sbin";
  for (size_t begin = 0; begin < folders.size();) {
    size_t end = std::min(folders.find(':', begin), folders.size());
    std::string program = folders.substr(begin, end - begin) + "/nginx";
    if (end > begin && can_run(program)) return program;
    begin = end + 1;
  }
  std::fprintf(stderr, "hotlap-nginx: nginx is not installed: %s\n", kRemedy);
  return "";
}

// A private directory with the configuration in it, as long as this object or until remove().
class Prefix {
 public:
  Prefix() {
    std::error_code error;
    std::string pattern = std::filesystem::temp_directory_path(error) / "hotlap-nginx-XXXXXX";
    if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Prefix() { remove(); }
  Prefix(const Prefix&) = delete;
  Prefix& operator=(const Prefix&) = delete;

  const std::string& path() const { return path_; }
  std::string configuration_path() const { return path_ + "/nginx.conf"; }
  bool write(const std::string& configuration) const {
    if (path_.empty()) return false;
    std::ofstream file(configuration_path());
    return static_cast<bool>(file << configuration << std::flush);
  }
  void remove() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    path_.clear();
  }

 private:
  std::string path_;
};

// Descriptors are raised to what is allowed. Workers stay who they are: root, where root starts it,
// so that it also works where no other user exists (a user namespace).
NginxSettings settle(const Flags& flags) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  NginxSettings settings;
  settings.address = printable_address(flags.host, flags.port);
  settings.workers = flags.threads;
  const uint64_t room = std::max<uint64_t>(files.rlim_cur, 2 * kSpareFiles) - kSpareFiles;
  settings.connections = std::min(kMostConnections, room);
  const passwd* user = geteuid() == 0 ? getpwuid(0) : nullptr;
  if (user != nullptr) settings.user = user->pw_name;
  return settings;
}

[[noreturn]] void become_nginx(const std::string& nginx, const Prefix& prefix, int listener,
                               int messages, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kExitError);  // it ended before the line above
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(messages, STDERR_FILENO);
  fcntl(listener, F_SETFD, 0);
  setenv("NGINX", (std::to_string(listener) + ";").c_str(), 1);
  const std::string configuration = prefix.configuration_path();
  execl(nginx.c_str(), nginx.c_str(), "-p", prefix.path().c_str(), "-c", configuration.c_str(),
        "-e", "stderr", nullptr);
  std::fprintf(stderr, "cannot run %s: %s\n", nginx.c_str(), std::strerror(errno));
  _exit(127);
}

// What nginx says, line by line: notices are counted or dropped, the rest is passed on.
class Messages {
 public:
  explicit Messages(int fd) : fd_(fd) {}

  // False at the end of it.
  bool read_some() {
    char buffer[4096];
    const ssize_t got = read(fd_, buffer, sizeof buffer);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
    text_.append(buffer, static_cast<size_t>(got));
    for (size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      take(std::string_view(text_).substr(0, end));
      text_.erase(0, end + 1);
    }
    return true;
  }
  int workers_started() const { return workers_; }

 private:
  void take(std::string_view line) {
    // Its file of process ids is removed with the rest of what was written.
    if (line.find("/nginx.pid\" failed") != std::string_view::npos) return;
    if (line.find("[notice]") == std::string_view::npos) {
      std::fprintf(stderr, "hotlap-nginx: %.*s\n", static_cast<int>(line.size()), line.data());
    } else if (line.find(kStarted) != std::string_view::npos) {
      ++workers_;
    }
  }

  int fd_;
  std::string text_;
  int workers_ = 0;
};

int exit_code_of(int status, bool asked) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  if (asked && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) return 0;
  std::fprintf(stderr, "hotlap-nginx: nginx ended with %s %d\n",
               WIFEXITED(status) ? "code" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  return kExitError;
}

// Waits with nginx until it has ended, announcing it once all its workers are there.
int attend(pid_t nginx, const Flags& flags, Prefix& prefix, int message_fd, int signal_fd) {
  Messages messages(message_fd);
  pollfd entries[] = {{message_fd, POLLIN, 0}, {signal_fd, POLLIN, 0}};
  bool announced = false, asked = false;
  while (true) {
    if (poll(entries, 2, -1) < 0) continue;
    if (entries[0].revents != 0 && !messages.read_some()) entries[0].fd = -1;
    if (!announced && messages.workers_started() == flags.threads) {
      announced = true;
      prefix.remove();
      std::printf("listening on %s\n", printable_address(flags.host, flags.port).c_str());
      std::fflush(stdout);
    }
    signalfd_siginfo info;
    while (read(signal_fd, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGCHLD) continue;
      asked = true;
      kill(nginx, SIGTERM);
    }
    int status = 0;
    if (waitpid(nginx, &status, WNOHANG) != nginx) continue;
    while (messages.read_some() && poll(entries, 1, 0) > 0) {
    }
    return exit_code_of(status, asked);
  }
}

int run(Flags flags) {
  const std::string nginx = find_nginx();
  if (nginx.empty()) return kExitError;
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  Fd signal_fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  Fd listener = listen_on(flags, "hotlap-nginx");
  if (listener.get() < 0) return kExitError;
  Prefix prefix;
  if (!prefix.write(nginx_configuration(settle(flags)))) {
    std::fprintf(stderr,
                 "hotlap-nginx: cannot write nginx's configuration to the directory for temporary "
                 "files: %s; TMPDIR chooses another\n",
                 std::strerror(errno));
    return kExitError;
  }
  int messages[2];
  if (pipe2(messages, O_CLOEXEC | O_NONBLOCK) != 0) return kExitError;
  Fd reading(messages[0]);
  pid_t child = 0;
  {
    Fd writing(messages[1]);
    const pid_t parent = getpid();
    child = fork();
    if (child == 0) become_nginx(nginx, prefix, listener.get(), writing.get(), parent);
  }
  if (child < 0) {
    std::fprintf(stderr, "hotlap-nginx: cannot start nginx: %s\n", std::strerror(errno));
    return kExitError;
  }
  listener = Fd();  // nginx has it: once that ends, connections are refused
  return attend(child, flags, prefix, reading.get(), signal_fd.get());
}

}  // namespace
}  // namespace hotlap::reference

int main(int argc, char** argv) {
  using namespace hotlap::reference;
  auto parsed =
      parse_flags(argc, argv, "hotlap-nginx: runs nginx with the lab's routes, to compare with");
  if (auto* stop = std::get_if<Exit>(&parsed)) return stop->code;
  return run(std::get<Flags>(parsed));
}
