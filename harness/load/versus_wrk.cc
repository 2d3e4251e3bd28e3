// Compares this load generator with wrk on one server: the two take short turns on the same CPU,
// and what is printed is requests per CPU-second of the generator's own. Both see the same server
// process and the same number of connections; wrk's CPU comes from the kernel's account of the
// ended child.
//
//   versus_wrk [--server 'COMMAND … {port}'] [--turns 8] [--seconds 1] [--connections 16]
//              [--server-cpu 0] [--load-cpu 1] [--target /hello]
//
// Without --server a bare responder of its own serves. Exit 0 at or above 1.2, 1 below, 3 on
// errors.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "harness/load/clock.h"
#include "harness/load/generator.h"

namespace hotlap::load {
namespace {

struct Options {
  std::string server;
  std::string target = "/hello";
  int turns = 8;
  int seconds = 1;
  int connections = 16;
  int server_cpu = 0;
  int load_cpu = 1;
};

struct Turn {
  double requests = 0;
  double cpu_s = 0;
  double wall_s = 0;
  double per_cpu_s() const { return cpu_s > 0 ? requests / cpu_s : 0; }
};

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

// A listening socket on a free port of 127.0.0.1; the port is its answer.
int listen_somewhere(std::uint16_t& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || bind(fd, any, length) != 0 || listen(fd, 1024) != 0) return -1;
  getsockname(fd, any, &length);
  port = ntohs(address.sin_port);
  return fd;
}

// Answers every read with the same bytes; it parses nothing.
[[noreturn]] void respond_for_ever(int listener) {
  constexpr std::string_view kReply =
      "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
      "Content-Length: 13\r\n\r\nHello, World!";
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{EPOLLIN, {.fd = listener}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  std::array<epoll_event, 64> events;
  std::array<char, 16384> buffer;
  while (true) {
    const int ready = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listener) {
        const int accepted = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (accepted < 0) continue;
        const int on = 1;
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        event = {EPOLLIN, {.fd = accepted}};
        epoll_ctl(epoll, EPOLL_CTL_ADD, accepted, &event);
      } else if (recv(fd, buffer.data(), buffer.size(), 0) > 0) {
        send(fd, kReply.data(), kReply.size(), MSG_NOSIGNAL);
      } else {
        close(fd);
      }
    }
  }
}

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// A child in a process group of its own, so that a shell's children end with it.
pid_t spawn_server(const Options& options, std::uint16_t& port) {
  const int listener = listen_somewhere(port);
  if (listener < 0) return -1;
  // Closed before another server is started, so that nobody mistakes it for that server.
  if (!options.server.empty()) close(listener);
  const pid_t child = fork();
  if (child != 0) {
    if (options.server.empty()) close(listener);
    return child;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pin(options.server_cpu);
  if (options.server.empty()) respond_for_ever(listener);
  const std::string command = replaced(options.server, "{port}", std::to_string(port));
  execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
  _exit(127);
}

// Runs wrk for a turn; its request count is read from its summary.
bool wrk_turn(const Options& options, const std::string& url, Turn& turn) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  const std::string connections = std::to_string(options.connections);
  const std::string duration = std::to_string(options.seconds) + "s";
  const std::int64_t start_ns = monotonic_ns();
  const pid_t child = fork();
  if (child == 0) {
    pin(options.load_cpu);
    dup2(ends[1], STDOUT_FILENO);
    execlp("wrk", "wrk", "-t1", "-c", connections.c_str(), "-d", duration.c_str(), url.c_str(),
           nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  std::array<char, 4096> buffer;
  ssize_t size = 0;
  while ((size = read(ends[0], buffer.data(), buffer.size())) > 0) {
    output.append(buffer.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return false;
  turn.wall_s = static_cast<double>(monotonic_ns() - start_ns) / 1e9;
  turn.cpu_s = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  const std::size_t end = output.find(" requests in");
  if (end == std::string::npos) return false;
  const std::size_t begin = output.rfind(' ', end - 1);
  turn.requests = std::strtod(output.c_str() + (begin == std::string::npos ? 0 : begin), nullptr);
  return turn.requests > 0;
}

bool own_turn(const Options& options, const Url& url, Turn& turn) {
  std::string error;
  const auto generator = Generator::start({options.load_cpu}, 1, error);
  if (!generator) {
    std::fprintf(stderr, "versus_wrk: %s\n", error.c_str());
    return false;
  }
  RequestSpec request;
  request.target = url.target;
  ArmSpec spec{url.endpoint, {request}};
  spec.connections = options.connections;
  const std::size_t arm = generator->add_arm(std::move(spec));
  if (const Opened opened = generator->open(arm); !opened.error.empty()) {
    std::fprintf(stderr, "versus_wrk: %s\n", opened.error.c_str());
    return false;
  }
  LoadPlan plan;
  plan.duration_ns = std::int64_t{options.seconds} * 1'000'000'000;
  const LoadReport report = generator->load(arm, plan, nullptr);
  if (report.counts.ok() != report.counts.started) {
    std::fprintf(stderr, "versus_wrk: %s\n", generator->first_failure(arm).c_str());
    return false;
  }
  turn.requests = static_cast<double>(report.counts.ok());
  turn.cpu_s = static_cast<double>(report.generator_cpu_ns) / 1e9;
  turn.wall_s = static_cast<double>(report.wall_ns) / 1e9;
  return true;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Until the server takes a connection, at most five seconds.
bool wait_for_server(const Endpoint& endpoint, pid_t server) {
  for (int attempt = 0; attempt < 500; ++attempt) {
    const int fd = socket(endpoint.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = connect(fd, endpoint.address(), endpoint.address_length()) == 0;
    close(fd);
    if (connected) return true;
    if (waitpid(server, nullptr, WNOHANG) == server) return false;
    poll(nullptr, 0, 10);
  }
  return false;
}

int compare(const Options& options, const Url& url, const std::string& text) {
  std::printf("%-6s %14s %14s %14s %14s %8s\n", "turn", "wrk req/s", "wrk req/cpu-s", "own req/s",
              "own req/cpu-s", "ratio");
  std::vector<double> ratios;
  for (int i = 0; i < options.turns; ++i) {
    Turn wrk;
    Turn own;
    // The order within a pair alternates, so that a drift of the machine favours neither.
    const bool done = i % 2 == 0 ? wrk_turn(options, text, wrk) && own_turn(options, url, own)
                                 : own_turn(options, url, own) && wrk_turn(options, text, wrk);
    if (!done) {
      std::fprintf(stderr, "versus_wrk: turn %d failed; is wrk installed and the server well?\n",
                   i);
      return 3;
    }
    ratios.push_back(own.per_cpu_s() / wrk.per_cpu_s());
    std::printf("%-6d %14.0f %14.0f %14.0f %14.0f %8.3f\n", i, wrk.requests / wrk.wall_s,
                wrk.per_cpu_s(), own.requests / own.wall_s, own.per_cpu_s(), ratios.back());
  }
  const double ratio = median(ratios);
  std::printf("median ratio of requests per generator CPU-second, own/wrk: %.3f (wanted: 1.2)\n",
              ratio);
  return ratio >= 1.2 ? 0 : 1;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    const char* value = argv[i + 1];
    if (flag == "--server")
      options.server = value;
    else if (flag == "--target")
      options.target = value;
    else if (flag == "--turns")
      options.turns = std::atoi(value);
    else if (flag == "--seconds")
      options.seconds = std::atoi(value);
    else if (flag == "--connections")
      options.connections = std::atoi(value);
    else if (flag == "--server-cpu")
      options.server_cpu = std::atoi(value);
    else if (flag == "--load-cpu")
      options.load_cpu = std::atoi(value);
    else
      return false;
  }
  return argc % 2 == 1 && options.turns > 0 && options.seconds > 0 && options.connections > 0;
}

int run(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: versus_wrk [--server 'COMMAND … {port}'] [--target /hello] "
                 "[--turns N] [--seconds N] [--connections N] [--server-cpu N] "
                 "[--load-cpu N]\n");
    return 3;
  }
  std::uint16_t port = 0;
  const pid_t server = spawn_server(options, port);
  if (server < 0) {
    std::fprintf(stderr, "versus_wrk: cannot start the server: %s\n", std::strerror(errno));
    return 3;
  }
  const std::string text = "http://127.0.0.1:" + std::to_string(port) + options.target;
  std::string error;
  const std::optional<Url> url = parse_url(text, error);
  int code = 3;
  if (!url || !wait_for_server(url->endpoint, server)) {
    std::fprintf(stderr, "versus_wrk: the server does not listen at %s\n", text.c_str());
  } else {
    code = compare(options, *url, text);
  }
  kill(-server, SIGKILL);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  return code;
}

}  // namespace
}  // namespace hotlap::load

int main(int argc, char** argv) { return hotlap::load::run(argc, argv); }
