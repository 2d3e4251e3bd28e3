// The floor of this machine: an epoll responder that parses nothing. It answers every request,
// whatever it asks, with the bytes that the lab's server sends for GET /hello. Per request: one
// recv, one send, a share of an epoll_wait; no allocation, and of the request only its end is
// looked for. What a real server spends above this is what its HTTP costs.
//
// It is right for requests without a body, pipelined or split anywhere. It never closes by itself
// and knows no timeouts: it is a yardstick, not a server to put before users.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/reference/flags.h"
#include "server/reference/http_date.h"
#include "server/reference/listener.h"

namespace hotlap::reference {
namespace {

constexpr int kMaxEvents = 64;
// Edge-triggered: level-triggered, the kernel asks each served connection again at the next wait.
constexpr uint32_t kConnectionEvents = EPOLLIN | EPOLLRDHUP | EPOLLET;
constexpr size_t kCarryBytes =
    3;  // an end of request may begin this far before a read's first byte
constexpr size_t kReadBytes = 16 * 1024;
constexpr size_t kMaxConnections = 1 << 20;
constexpr int kSlowReaderMs = 5000;

// Up to three bytes of a connection's last read that may begin an end of request.
struct Carry {
  std::array<char, kCarryBytes> bytes;
  uint8_t length;
};

// Counts CRLFCRLF in [begin, end), stepping by up to four bytes; `rest` is what follows the last.
int count_requests(const char* begin, const char* end, const char*& rest) {
  int count = 0;
  const char* at = begin;
  rest = begin;
  while (end - at >= 4) {
    char last = at[3];
    if (last == '\n') {
      if (at[2] == '\r' && at[1] == '\n' && at[0] == '\r') {
        ++count;
        at += 4;
        rest = at;
      } else {
        at += 2;
      }
    } else {
      at += last == '\r' ? 1 : 4;
    }
  }
  return count;
}

class Reply {
 public:
  Reply() {
    text_ = "HTTP/1.1 200 OK\r\nDate: ";
    date_at_ = text_.size();
    text_ += std::string(HttpDate::kLength, ' ') +
             "\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!";
  }
  void refresh() {
    if (date_.refresh()) std::memcpy(&text_[date_at_], date_.text().data(), HttpDate::kLength);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t date_at_;
  HttpDate date_;
};

// False where the connection is to be closed. A reader so slow that its socket's buffer is full is
// waited for, and delays this thread's other connections: the floor keeps no queue of output.
bool send_all(int fd, const char* bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes += sent;
      length -= static_cast<size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd writable{fd, POLLOUT, 0};
    if (poll(&writable, 1, kSlowReaderMs) <= 0) return false;
  }
  return true;
}

class Poller {
 public:
  Poller(std::vector<Carry>& carries, int stop_fd)
      : epoll_(epoll_create1(EPOLL_CLOEXEC)), carries_(carries), stop_fd_(stop_fd) {
    watch(stop_fd, EPOLLIN);
  }

  bool watch(int fd, uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
  }

  // The first poller accepts, and deals connections out in turn.
  void accept_for(int listener, std::vector<std::unique_ptr<Poller>>& pollers) {
    listener_ = listener;
    pollers_ = &pollers;
    watch(listener, EPOLLIN);
  }

  void run() {
    std::array<epoll_event, kMaxEvents> events;
    for (;;) {
      int ready = epoll_wait(epoll_.get(), events.data(), kMaxEvents, -1);
      if (ready < 0 && errno != EINTR) return;
      reply_.refresh();
      for (int i = 0; i < ready; ++i) {
        int fd = events[i].data.fd;
        if (fd == stop_fd_) return;
        if (fd == listener_) {
          accept_ready();
        } else if (!serve(fd, events[i].events)) {
          close(fd);
        }
      }
    }
  }

 private:
  void accept_ready() {
    for (;;) {
      int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      bool taken = static_cast<size_t>(fd) < carries_.size();
      if (taken) {
        carries_[fd].length = 0;
        taken = (*pollers_)[next_++ % pollers_->size()]->watch(fd, kConnectionEvents);
      }
      if (!taken) close(fd);
    }
  }

  // False where the connection is over. Edge-triggered, so it reads on where more may be waiting:
  // after a full read, and where the peer has finished (the end itself brings no other edge).
  bool serve(int fd, uint32_t events) {
    for (;;) {
      Carry& carry = carries_[fd];
      std::memcpy(buffer_.data(), carry.bytes.data(), carry.length);
      ssize_t got = recv(fd, buffer_.data() + carry.length, kReadBytes, 0);
      if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
      if (!answer(fd, carry, static_cast<size_t>(got))) return false;
      bool more = got == static_cast<ssize_t>(kReadBytes) || (events & ~uint32_t{EPOLLIN}) != 0;
      if (!more) return true;
    }
  }

  bool answer(int fd, Carry& carry, size_t got) {
    const char* end = buffer_.data() + carry.length + got;
    const char* rest = nullptr;
    int requests = count_requests(buffer_.data(), end, rest);
    carry.length = static_cast<uint8_t>(std::min<ptrdiff_t>(end - rest, kCarryBytes));
    std::memcpy(carry.bytes.data(), end - carry.length, carry.length);
    if (requests == 1) return send_all(fd, reply_.text().data(), reply_.text().size());
    if (requests == 0) return true;
    pipelined_.clear();
    for (int i = 0; i < requests; ++i) pipelined_ += reply_.text();
    return send_all(fd, pipelined_.data(), pipelined_.size());
  }

  Fd epoll_;
  std::vector<Carry>& carries_;
  int stop_fd_;
  int listener_ = -1;
  std::vector<std::unique_ptr<Poller>>* pollers_ = nullptr;
  size_t next_ = 0;
  Reply reply_;
  std::array<char, kCarryBytes + kReadBytes> buffer_;
  std::string pipelined_;
};

int serve(Flags flags) {
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
  // Never read, so that it stays ready and stops every poller.
  Fd stop(signalfd(-1, &stop_signals, SFD_CLOEXEC | SFD_NONBLOCK));
  Fd listener = listen_on(flags, "hotlap-floor");
  if (listener.get() < 0 || stop.get() < 0) return 3;

  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  std::vector<Carry> carries(std::min<size_t>(files.rlim_cur, kMaxConnections));
  std::vector<std::unique_ptr<Poller>> pollers;
  pollers.reserve(static_cast<size_t>(flags.threads));
  for (int i = 0; i < flags.threads; ++i) {
    pollers.push_back(std::make_unique<Poller>(carries, stop.get()));
  }
  pollers[0]->accept_for(listener.get(), pollers);
  std::printf("listening on %s\n", printable_address(flags.host, flags.port).c_str());
  std::fflush(stdout);
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < pollers.size(); ++i) threads.emplace_back([&, i] { pollers[i]->run(); });
  pollers[0]->run();
  return 0;
}

}  // namespace
}  // namespace hotlap::reference

int main(int argc, char** argv) {
  using namespace hotlap::reference;
  auto parsed =
      parse_flags(argc, argv, "hotlap-floor: answers every request with Hello, World!, unparsed");
  if (auto* stop = std::get_if<Exit>(&parsed)) return stop->code;
  return serve(std::get<Flags>(parsed));
}
