// Input placed flush against a page that must not be touched: a read of one byte beyond it ends the
// test with a fault. Costs two mmap calls a size, so keep one and fill it again.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace hotlap::variants {

class Guarded {
 public:
  static constexpr size_t kCapacity = 64 * 1024;

  Guarded() {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    length_ = kCapacity + page;
    base_ = static_cast<char*>(
        mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + kCapacity, page, PROT_NONE);
  }
  ~Guarded() { munmap(base_, length_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  // The same bytes, ending where the forbidden page begins. Good until the next call.
  std::string_view place(std::string_view bytes) {
    char* const begin = base_ + kCapacity - bytes.size();
    if (!bytes.empty()) std::memcpy(begin, bytes.data(), bytes.size());
    return {begin, bytes.size()};
  }
  // Room for `bytes` that ends there.
  char* room(size_t bytes) { return base_ + kCapacity - bytes; }
  // Makes what was placed unreadable as what it was, so that a kept view shows.
  void scribble() { std::memset(base_, '?', kCapacity); }

 private:
  char* base_;
  size_t length_;
};

}  // namespace hotlap::variants
