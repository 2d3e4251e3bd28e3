// Listening sockets. The port is claimed by a first bind without SO_REUSEPORT, so that a port in
// use by anyone, ourselves included, is an error; only then do further sockets share it.
#pragma once

#include <string>
#include <vector>

namespace hotlap::server {

class Listener {
 public:
  Listener() = default;
  explicit Listener(int fd) : fd_(fd) {}
  Listener(Listener&& other) noexcept : fd_(other.release()) {}
  Listener& operator=(Listener&& other) noexcept;
  ~Listener() { close(); }

  int fd() const { return fd_; }
  void close();

 private:
  int release();
  int fd_ = -1;
};

// Opens `count` non-blocking sockets that listen on one address, `HOST:PORT` or `[HOST]:PORT`,
// numeric or `localhost`; port 0 takes a free one. Sets `bound` to what it came to. Empty, or what
// went wrong and what to do.
std::string listen_on(const std::string& address, int count, std::vector<Listener>& listeners,
                      std::string& bound);

}  // namespace hotlap::server
