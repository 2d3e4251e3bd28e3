// Descriptors that close themselves, and the one kind of socket that a load uses.
#ifndef HOTLAP_HARNESS_LOAD_SOCKET_H_
#define HOTLAP_HARNESS_LOAD_SOCKET_H_

#include <unistd.h>

#include <utility>

#include "harness/load/endpoint.h"

namespace hotlap::load {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// A nonblocking stream socket to the endpoint: TCP_NODELAY, and congestion control `cubic` where
// the kernel lets us, since BBR's pacing makes loopback noisy.
struct Dialled {
  Fd socket;
  bool connected = false;  // else under way, unless `error` says otherwise
  int error = 0;           // errno of what failed; 0 when nothing did
};
Dialled dial(const Endpoint& endpoint);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_SOCKET_H_
