// The floor of this machine for a load generator: closed loops over kept connections that send one
// request again and again, and look at no reply. What a generator spends above them is what its
// HTTP, its checks and its clocks cost; what they spend is the kernel's. Two ways to wait:
//
//   epoll     an epoll_wait for whatever is there, then per reply a recv and a send
//   io_uring  an io_uring_enter for a batch; receives are multishot into provided buffers, sends
//             that succeed say nothing, sockets are registered
//
// Usage: bare-client epoll|io_uring PORT CONNECTIONS SECONDS
// Prints one JSON object: requests, cpu_s (of the loop), wall_s, calls (of the kernel). A
// yardstick: any read counts as a reply, so that these must come in one piece.
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hotlap::load {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr unsigned kBatch = 256;
constexpr std::size_t kReadBytes = 16 * 1024;
constexpr int kMostConnections = 4096;
constexpr double kMostSeconds = 600;

struct Tally {
  std::int64_t requests = 0;
  std::int64_t calls = 0;
};

[[noreturn]] void die(const std::string& what, int error) {
  fprintf(stderr, "bare-client: %s: %s\n", what.c_str(), strerror(error));
  exit(3);
}

std::int64_t time_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * kNsPerS + time.tv_nsec;
}

int connect_to(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) die("socket", errno);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    die("connect to 127.0.0.1:" + std::to_string(port), errno);
  }
  return fd;
}

Tally by_epoll(const std::vector<int>& sockets, std::string_view request, std::int64_t end_ns) {
  Tally tally;
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) die("epoll_create1", errno);
  for (const int fd : sockets) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl", errno);
    if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) die("send", errno);
  }
  std::array<epoll_event, kBatch> events;
  std::vector<char> buffer(kReadBytes);
  constexpr int kPatienceMs = 1000;
  while (time_ns(CLOCK_MONOTONIC) < end_ns) {
    const int ready = epoll_wait(epoll, events.data(), kBatch, kPatienceMs);
    ++tally.calls;
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      const ssize_t size = recv(fd, buffer.data(), buffer.size(), 0);
      if (size <= 0) die("recv", size == 0 ? ECONNRESET : errno);
      if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) die("send", errno);
      tally.calls += 2;
      ++tally.requests;
    }
  }
  close(epoll);
  return tally;
}

// A ring with its sockets registered and a group of buffers that the kernel takes for receives.
class UringLoop {
 public:
  UringLoop(const std::vector<int>& sockets, std::string_view request) : request_(request) {
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    const unsigned entries = 2 * kMostConnections;
    check("io_uring_setup", io_uring_queue_init_params(entries, &ring_, &params));
    const auto count = static_cast<unsigned>(sockets.size());
    check("registration of sockets", io_uring_register_files(&ring_, sockets.data(), count));
    group_ = static_cast<io_uring_buf_ring*>(aligned_alloc(kPage, kBuffers * sizeof(io_uring_buf)));
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(group_);
    registration.ring_entries = kBuffers;
    registration.bgid = kGroup;
    check("registration of buffers", io_uring_register_buf_ring(&ring_, &registration, 0));
    io_uring_buf_ring_init(group_);
    for (std::uint16_t id = 0; id < kBuffers; ++id) give_back(id);
    for (unsigned i = 0; i < count; ++i) {
      receive(i);
      send(i);
    }
  }
  UringLoop(const UringLoop&) = delete;
  UringLoop& operator=(const UringLoop&) = delete;
  ~UringLoop() {
    io_uring_queue_exit(&ring_);
    free(group_);
  }

  Tally run(std::int64_t end_ns) {
    Tally tally;
    while (time_ns(CLOCK_MONOTONIC) < end_ns) {
      __kernel_timespec patience{};
      patience.tv_sec = 1;
      io_uring_cqe* first = nullptr;
      const int result = io_uring_submit_and_wait_timeout(&ring_, &first, 1, &patience, nullptr);
      if (result < 0 && result != -ETIME && result != -EINTR) check("io_uring_enter", result);
      ++tally.calls;
      unsigned head = 0;
      unsigned seen = 0;
      io_uring_cqe* completion = nullptr;
      io_uring_for_each_cqe(&ring_, head, completion) {
        ++seen;
        tally.requests += take(*completion) ? 1 : 0;
      }
      io_uring_cq_advance(&ring_, seen);
    }
    return tally;
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::uint16_t kBuffers = 1024;
  static constexpr std::size_t kBufferBytes = 4096;
  static constexpr std::uint16_t kGroup = 1;
  static constexpr std::uint64_t kSend = ~std::uint64_t{0};

  static void check(const char* what, int result) {
    if (result < 0) die(what, -result);
  }

  void give_back(std::uint16_t id) {
    io_uring_buf_ring_add(group_, buffers_.data() + id * kBufferBytes, kBufferBytes, id,
                          io_uring_buf_ring_mask(kBuffers), 0);
    io_uring_buf_ring_advance(group_, 1);
  }

  void receive(unsigned socket) {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    io_uring_prep_recv_multishot(entry, static_cast<int>(socket), nullptr, 0, 0);
    entry->flags |= IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT;
    entry->buf_group = kGroup;
    entry->user_data = socket;
  }

  void send(unsigned socket) {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    io_uring_prep_send(entry, static_cast<int>(socket), request_.data(), request_.size(),
                       MSG_NOSIGNAL);
    entry->flags |= IOSQE_FIXED_FILE | IOSQE_CQE_SKIP_SUCCESS;
    entry->user_data = kSend;
  }

  // True when it was a reply.
  bool take(const io_uring_cqe& completion) {
    if (completion.user_data == kSend) die("send", -completion.res);
    const auto socket = static_cast<unsigned>(completion.user_data);
    const bool reply = completion.res > 0;
    if (!reply && completion.res != -ENOBUFS) {
      die("recv", completion.res == 0 ? ECONNRESET : -completion.res);
    }
    if (reply) {
      give_back(static_cast<std::uint16_t>(completion.flags >> IORING_CQE_BUFFER_SHIFT));
      send(socket);
    }
    if ((completion.flags & IORING_CQE_F_MORE) == 0) receive(socket);
    return reply;
  }

  std::string_view request_;
  io_uring ring_{};
  io_uring_buf_ring* group_ = nullptr;
  std::vector<char> buffers_ = std::vector<char>(kBuffers * kBufferBytes);
};

int run(const std::string& how, std::uint16_t port, int connections, double seconds) {
  std::vector<int> sockets(static_cast<std::size_t>(connections));
  for (int& fd : sockets) fd = connect_to(port);
  const std::string request =
      "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
  std::unique_ptr<UringLoop> uring;
  if (how == "io_uring") uring = std::make_unique<UringLoop>(sockets, request);
  const std::int64_t begin_ns = time_ns(CLOCK_MONOTONIC);
  const std::int64_t begin_cpu_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID);
  const auto end_ns = begin_ns + static_cast<std::int64_t>(seconds * kNsPerS);
  const Tally tally = uring ? uring->run(end_ns) : by_epoll(sockets, request, end_ns);
  const std::int64_t cpu_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_ns;
  const std::int64_t wall_ns = time_ns(CLOCK_MONOTONIC) - begin_ns;
  printf("{\"requests\": %lld, \"cpu_s\": %.6f, \"wall_s\": %.6f, \"calls\": %lld}\n",
         static_cast<long long>(tally.requests), static_cast<double>(cpu_ns) / kNsPerS,
         static_cast<double>(wall_ns) / kNsPerS, static_cast<long long>(tally.calls));
  return 0;
}

}  // namespace
}  // namespace hotlap::load

int main(int argc, char** argv) {
  const std::string how = argc == 5 ? argv[1] : "";
  const int port = argc == 5 ? atoi(argv[2]) : 0;
  const int connections = argc == 5 ? atoi(argv[3]) : 0;
  const double seconds = argc == 5 ? atof(argv[4]) : 0;
  const bool sound = (how == "epoll" || how == "io_uring") && port > 0 && port < 65536 &&
                     connections > 0 && connections <= hotlap::load::kMostConnections &&
                     seconds > 0 && seconds <= hotlap::load::kMostSeconds;
  if (!sound) {
    fprintf(stderr, "usage: bare-client epoll|io_uring PORT CONNECTIONS SECONDS\n");
    return 3;
  }
  return hotlap::load::run(how, static_cast<std::uint16_t>(port), connections, seconds);
}
