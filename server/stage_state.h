// The memory of one stage's state, aligned as its variant asks, for tests, fuzzers and the parts
// of the server that keep one a thread or one a server. Starts zeroed.
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "server/stages/variant.h"

namespace hotlap::server {

class StageState {
 public:
  explicit StageState(const VariantInfo& info)
      : align_(static_cast<std::align_val_t>(info.state_align)),
        memory_(take(info), Free{align_}) {}

  void* get() const { return memory_.get(); }

 private:
  struct Free {
    std::align_val_t align;
    void operator()(void* memory) const { ::operator delete(memory, align); }
  };
  static void* take(const VariantInfo& info) {
    const std::size_t bytes = info.state_size == 0 ? 1 : info.state_size;
    void* const memory = ::operator new (bytes, std::align_val_t{info.state_align});
    std::memset(memory, 0, bytes);
    return memory;
  }

  std::align_val_t align_;
  std::unique_ptr<void, Free> memory_;
};

}  // namespace hotlap::server
