// A server with bad habits, for tests of launching and counting:
//
//   test_target MODE [PORT]                 as a command target
//   test_target --pipeline MODE --listen 127.0.0.1:0    announces itself, as hotlap-server does
//
// Modes: serve; exit:CODE (prints to both streams first); crash; silent (never listens);
// elsewhere (another port); fork (a grandchild serves); daemonise (the root exits 0, a daemon of
// its own session serves); stubborn (ignores SIGTERM); spam (prints without end); garbled (a first
// line that is no announcement); environment (prints HOTLAP_PADDING's length and HOTLAP_TEST).
// Each connection is one order, a line, answered by "done" once it is carried out: burn MS THREADS,
// fork MS CHILDREN (each burns), calls N, touch PAGES, affinity (answered by the CPUs).
// Whatever a test forgets ends by itself after two minutes.
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

void burn_thread(int64_t ms) {
  const int64_t end = thread_cpu_ns() + ms * 1'000'000;
  while (thread_cpu_ns() < end) {
  }
}

void burn(int64_t ms, int threads) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(burn_thread, ms);
  burn_thread(ms);
  for (std::thread& other : others) other.join();
}

void fork_children(int64_t ms, int children) {
  for (int i = 0; i < children; ++i) {
    if (fork() == 0) {
      burn_thread(ms);
      _exit(0);
    }
  }
  while (wait(nullptr) > 0) {
  }
}

void touch(int64_t pages) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  void* const memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (int64_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, pages * page);
}

std::string carry_out(const std::string& line) {
  char order[32] = {};
  long long first = 0;
  int second = 1;
  sscanf(line.c_str(), "%31s %lld %d", order, &first, &second);
  const std::string name = order;
  if (name == "burn") burn(first, second);
  if (name == "fork") fork_children(first, second);
  if (name == "touch") touch(first);
  if (name == "calls") {
    for (long long i = 0; i < first; ++i) syscall(SYS_getppid);
  }
  if (name != "affinity") return "done\n";
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::string cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
  }
  return cpus + "\n";
}

int listen_on(int port, int* bound) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listener, 16) != 0) {
    perror("test_target: bind");
    exit(2);
  }
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  *bound = ntohs(address.sin_port);
  return listener;
}

[[noreturn]] void accept_forever(int listener) {
  while (true) {
    const int connection = accept(listener, nullptr, nullptr);
    if (connection < 0) continue;
    std::string line;
    char byte;
    while (read(connection, &byte, 1) == 1 && byte != '\n') line.push_back(byte);
    const std::string reply = line.empty() ? "" : carry_out(line);
    (void)!write(connection, reply.data(), reply.size());
    close(connection);
  }
}

int listen_and_announce(int port, const char* announced) {
  int bound = 0;
  const int listener = listen_on(port, &bound);
  if (announced != nullptr) {
    printf("listening on 127.0.0.1:%d\npipeline dispatch=test,mode=%s\n", bound, announced);
    fflush(stdout);
  }
  return listener;
}

[[noreturn]] void serve(int port, const char* announced) {
  accept_forever(listen_and_announce(port, announced));
}

[[noreturn]] void spam(int port) {
  const int listener = listen_and_announce(port, "spam");
  if (fork() == 0) {
    alarm(120);
    const std::string noise(1000, 'z');
    while (puts(noise.c_str()) >= 0) {
    }
    _exit(0);
  }
  accept_forever(listener);
}

[[noreturn]] void daemonise(int port) {
  int alive[2];  // the daemon serves only when root and go-between have let go of it
  if (pipe(alive) != 0) exit(2);
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    alarm(120);
    char byte;
    close(alive[1]);
    (void)!read(alive[0], &byte, 1);
    serve(port, nullptr);
  }
  wait(nullptr);
  exit(0);
}

[[noreturn]] void serve_in_grandchild(int port) {
  if (fork() == 0) {
    alarm(120);
    if (fork() == 0) {
      alarm(120);
      serve(port, nullptr);
    }
    pause();
  }
  pause();
  exit(0);
}

void print_environment() {
  const char* padding = getenv("HOTLAP_PADDING");
  const char* given = getenv("HOTLAP_TEST");
  fprintf(stderr, "padding %zu given %s\n", padding == nullptr ? 0 : strlen(padding),
          given == nullptr ? "(none)" : given);
}

}  // namespace

int main(int argc, char** argv) {
  alarm(120);
  const bool announces = argc >= 3 && strcmp(argv[1], "--pipeline") == 0;
  const std::string mode = announces ? argv[2] : argc >= 2 ? argv[1] : "";
  const int port = !announces && argc >= 3 ? atoi(argv[2]) : 0;
  if (mode.starts_with("exit:")) {
    printf("about to exit\n");
    fflush(stdout);
    fprintf(stderr, "cannot go on: no reason\n");
    return atoi(mode.c_str() + 5);
  }
  if (mode == "crash") {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (mode == "silent") {
    while (true) pause();
  }
  if (mode == "garbled") {
    puts("hello there");
    fflush(stdout);
    while (true) pause();
  }
  if (mode == "fork") serve_in_grandchild(port);
  if (mode == "daemonise") daemonise(port);
  if (mode == "spam") spam(port);
  if (mode == "stubborn") signal(SIGTERM, SIG_IGN);
  if (mode == "environment") print_environment();
  serve(mode == "elsewhere" ? 0 : port, announces ? mode.c_str() : nullptr);
}
