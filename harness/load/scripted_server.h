// For tests: a server that misbehaves to order. Each connection runs the script in a thread of its
// own; all of them end with the server, whatever the script waits for.
#ifndef HOTLAP_HARNESS_LOAD_SCRIPTED_SERVER_H_
#define HOTLAP_HARNESS_LOAD_SCRIPTED_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/load/endpoint.h"
#include "harness/load/socket.h"

namespace hotlap::load {

// The server's end of one connection.
class Peer {
 public:
  Peer(int fd, int stop_fd, int number) : fd_(fd), stop_fd_(stop_fd), number_(number) {}

  // The next request, head and sized body; nothing when the client or the server is done.
  std::optional<std::string> request() {
    while (true) {
      const std::size_t end = input_.find("\r\n\r\n");
      if (end != std::string::npos) {
        const std::size_t size = end + 4 + body_size(std::string_view(input_).substr(0, end));
        if (input_.size() >= size) {
          std::string whole = input_.substr(0, size);
          input_.erase(0, size);
          return whole;
        }
      }
      if (!receive()) return std::nullopt;
    }
  }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t size = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }
  // Sends RST.
  void reset() {
    const linger hard{1, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    fd_.reset();
  }
  void close_write() { ::shutdown(fd_.get(), SHUT_WR); }
  // Until the client or the server ends.
  void wait_for_end() {
    while (receive()) input_.clear();
  }
  // For so long, unless the server ends; false when it does.
  bool pause(int milliseconds) {
    pollfd stop{stop_fd_, POLLIN, 0};
    return ::poll(&stop, 1, milliseconds) == 0;
  }
  int number() const { return number_; }  // in order of arrival, from 0
  int fd() const { return fd_.get(); }    // for what speaks otherwise

 private:
  static std::size_t body_size(std::string_view head) {
    constexpr std::string_view kName = "\r\nContent-Length: ";
    const std::size_t at = head.find(kName);
    return at == std::string_view::npos
               ? 0
               : std::stoul(std::string(head.substr(at + kName.size(), 10)));
  }
  bool receive() {
    pollfd either[2] = {{fd_.get(), POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    if (::poll(either, 2, -1) < 0 || either[1].revents != 0) return false;
    char buffer[4096];
    const ssize_t size = ::recv(fd_.get(), buffer, sizeof buffer, 0);
    if (size <= 0) return false;
    input_.append(buffer, static_cast<std::size_t>(size));
    return true;
  }

  Fd fd_;
  int stop_fd_;
  int number_;
  std::string input_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(Peer&)>;

  explicit ScriptedServer(Script script, int family = AF_INET) : script_(std::move(script)) {
    listener_ = Fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET6) {
      reinterpret_cast<sockaddr_in6*>(&address)->sin6_addr = in6addr_loopback;
    } else {
      reinterpret_cast<sockaddr_in*>(&address)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    socklen_t length = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    usable_ = ::bind(listener_.get(), any, length) == 0 && ::listen(listener_.get(), 1024) == 0 &&
              ::getsockname(listener_.get(), any, &length) == 0 && ::pipe(stop_) == 0;
    if (!usable_) return;
    port_ = ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
    host_ = (family == AF_INET6 ? "[::1]:" : "127.0.0.1:") + std::to_string(port_);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~ScriptedServer() {
    if (!usable_) return;
    const char stop = 's';
    [[maybe_unused]] const ssize_t written = ::write(stop_[1], &stop, 1);
    acceptor_.join();
    for (std::thread& thread : peers_) thread.join();
    ::close(stop_[0]);
    ::close(stop_[1]);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  const std::string& host() const { return host_; }
  Endpoint endpoint() const {
    std::string error;
    return Endpoint::parse(host_, error).value_or(Endpoint{});
  }
  int accepted() const { return accepted_.load(); }

 private:
  void accept_all() {
    while (true) {
      pollfd either[2] = {{listener_.get(), POLLIN, 0}, {stop_[0], POLLIN, 0}};
      if (::poll(either, 2, -1) < 0 || either[1].revents != 0) return;
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      const int number = accepted_.fetch_add(1);
      peers_.emplace_back([this, fd, number] {
        Peer peer(fd, stop_[0], number);
        script_(peer);
      });
    }
  }

  Script script_;
  Fd listener_;
  int stop_[2] = {-1, -1};
  bool usable_ = false;
  std::uint16_t port_ = 0;
  std::string host_;
  std::atomic<int> accepted_{0};
  std::vector<std::thread> peers_;
  std::thread acceptor_;
};

inline std::string reply(std::string_view body, int status = 200, std::string_view headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

// Answers every request with the same bytes.
inline ScriptedServer::Script always(std::string bytes) {
  return [bytes = std::move(bytes)](Peer& peer) {
    while (peer.request()) {
      if (!peer.write(bytes)) return;
    }
  };
}

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_SCRIPTED_SERVER_H_
