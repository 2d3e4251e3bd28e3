// Stage `allocation`: memory of a request. State: one a connection. Taking memory is an inline
// bump of a pointer; only the refill is a call of the contract. A heap is an arena of size zero.
#pragma once

#include <cstring>

#include "server/stages/variant.h"

namespace hotlap::server {

struct Arena;

struct AllocationStage {
  VariantInfo info;
  void (*init)(void* state, Arena& arena);  // sets next and end; stage and state are set already
  void* (*refill)(void* state, Arena& arena, std::size_t size, std::size_t align);
  void (*reset)(void* state, Arena& arena);
  void (*destroy)(void* state, Arena& arena);
};

// Everything taken is given back at once by reset(), at the end of the request.
struct Arena {
  char* next = nullptr;
  char* end = nullptr;
  const AllocationStage* stage = nullptr;
  void* state = nullptr;

  // align is a power of two, size > 0. Never null: out of memory throws std::bad_alloc.
  void* allocate(std::size_t size, std::size_t align = alignof(std::max_align_t)) {
    const auto address = reinterpret_cast<std::uintptr_t>(next);
    const std::size_t padding = (align - (address & (align - 1))) & (align - 1);
    if (static_cast<std::size_t>(end - next) >= padding + size) {
      char* const taken = next + padding;
      next = taken + size;
      return taken;
    }
    return refill(size, align);
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto* const to = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

 private:
  // Out of line: a loop that takes memory holds a plain call, and stays small.
  [[gnu::noinline]] void* refill(std::size_t size, std::size_t align) {
    return stage->refill(state, *this, size, align);
  }
};

}  // namespace hotlap::server
