// For tests: a server and the time in which it and a load generator live. Both run in the load
// thread: whenever the generator waits, the server reads what has come, writes what is due, and
// else time jumps to the next thing that happens. An hour takes milliseconds, nothing depends on
// the machine, and a run repeats to the nanosecond. The bytes go through real Unix sockets.
#ifndef HOTLAP_HARNESS_LOAD_SIMULATED_SERVER_H_
#define HOTLAP_HARNESS_LOAD_SIMULATED_SERVER_H_

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/load/clock.h"
#include "harness/load/endpoint.h"
#include "harness/load/socket.h"

namespace hotlap::load {

class SimulatedServer : public SimulatedTime {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;

  // When a request, whole at `now_ns`, is answered: the server's whole character.
  struct Asked {
    std::int64_t now_ns;
    int connection;    // in order of arrival, from 0
    std::string text;  // of the request's head
  };
  struct Answer {
    std::int64_t at_ns;  // kNever: not at all
    std::string bytes;
  };
  using Character = std::function<Answer(const Asked&)>;

  explicit SimulatedServer(Character character) : character_(std::move(character)) {
    char directory[] = "/tmp/simulated_server.XXXXXX";
    if (mkdtemp(directory) == nullptr) return;
    directory_ = directory;
    path_ = directory_ + "/socket";
    listener_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* any = reinterpret_cast<const sockaddr*>(&address);
    usable_ =
        ::bind(listener_.get(), any, sizeof address) == 0 && ::listen(listener_.get(), 4096) == 0;
  }
  ~SimulatedServer() override {
    ::unlink(path_.c_str());
    ::rmdir(directory_.c_str());
  }
  SimulatedServer(const SimulatedServer&) = delete;
  SimulatedServer& operator=(const SimulatedServer&) = delete;

  bool usable() const { return usable_; }
  Endpoint endpoint() const {
    std::string error;
    return Endpoint::parse("unix:" + path_, error).value_or(Endpoint{});
  }
  const std::vector<Asked>& asked() const { return asked_; }

  std::int64_t now_ns() const override { return now_ns_; }
  int wait(int epoll, std::span<epoll_event> events, std::int64_t until_ns) override {
    while (true) {
      read_all();
      write_due();
      const int capacity = static_cast<int>(events.size());
      const int ready = ::epoll_wait(epoll, events.data(), capacity, 0);
      if (ready > 0 || now_ns_ >= until_ns) return std::max(ready, 0);
      const std::int64_t due_ns = answers_.empty() ? kNever : answers_.begin()->first;
      now_ns_ = std::max(now_ns_, std::min(due_ns, until_ns));
    }
  }

 private:
  struct Link {
    Fd socket;
    std::string input;
  };
  struct Due {
    std::size_t link;
    std::string bytes;
  };

  void read_all() {
    while (true) {
      Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!fd.valid()) break;
      links_.push_back({std::move(fd), ""});
    }
    for (std::size_t i = 0; i < links_.size(); ++i) read(i);
  }
  void read(std::size_t index) {
    Link& link = links_[index];
    if (!link.socket.valid()) return;
    char buffer[16384];
    ssize_t size = 0;
    while ((size = ::recv(link.socket.get(), buffer, sizeof buffer, 0)) > 0) {
      link.input.append(buffer, static_cast<std::size_t>(size));
    }
    if (size == 0) link.socket.reset();
    for (std::size_t end; (end = link.input.find("\r\n\r\n")) != std::string::npos;) {
      asked_.push_back({now_ns_, static_cast<int>(index), link.input.substr(0, end)});
      link.input.erase(0, end + 4);
      Answer answer = character_(asked_.back());
      if (answer.at_ns == kNever) continue;
      answers_.emplace(std::max(answer.at_ns, now_ns_), Due{index, std::move(answer.bytes)});
    }
  }
  void write_due() {
    while (!answers_.empty() && answers_.begin()->first <= now_ns_) {
      const Due due = std::move(answers_.begin()->second);
      answers_.erase(answers_.begin());
      const Fd& socket = links_[due.link].socket;
      if (!socket.valid()) continue;
      [[maybe_unused]] const ssize_t size =
          ::send(socket.get(), due.bytes.data(), due.bytes.size(), MSG_NOSIGNAL);
    }
  }

  Character character_;
  std::string directory_;
  std::string path_;
  bool usable_ = false;
  Fd listener_;
  std::vector<Link> links_;
  std::vector<Asked> asked_;
  std::multimap<std::int64_t, Due> answers_;
  std::int64_t now_ns_ = 1'000'000'000;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_SIMULATED_SERVER_H_
