// An open listener of a reference server that takes the socket calls as they are, and the
// descriptor that owns it. Costs nothing once it listens.
#pragma once

#include <unistd.h>

#include <utility>

#include "server/reference/flags.h"

namespace hotlap::reference {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

constexpr int kBacklog = 4096;

// A listener, or none (-1) and the reason printed in the name of `program`. Port 0 becomes the one
// that the kernel picked. Neither blocks nor survives an exec.
Fd listen_on(Flags& flags, const char* program);

}  // namespace hotlap::reference
