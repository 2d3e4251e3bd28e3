// A block of 4 KiB a connection that is kept from request to request; what does not fit gets blocks
// of its own until the request ends. Costs one heap allocation a connection for ordinary requests.
#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "server/stages/allocation.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::size_t kArenaBytes = 4096;

struct State {
  std::unique_ptr<char[]> kept;
  std::vector<std::unique_ptr<char[]>> extra;
};

State& of(void* state) { return *static_cast<State*>(state); }

void init(void* state, Arena& arena) {
  new (state) State;
  arena.next = arena.end = nullptr;
}

void destroy(void* state, Arena& arena) {
  of(state).~State();
  arena.next = arena.end = nullptr;
}

// The first block is the one kept; `align` beyond what new[] gives is met by room to spare.
void* refill(void* memory, Arena& arena, std::size_t size, std::size_t align) {
  State& state = of(memory);
  const std::size_t bytes = std::max(kArenaBytes, size + align);
  char* block;
  if (state.kept == nullptr && bytes == kArenaBytes) {
    state.kept.reset(new char[bytes]);
    block = state.kept.get();
  } else {
    state.extra.emplace_back(new char[bytes]);
    block = state.extra.back().get();
  }
  arena.next = block;
  arena.end = block + bytes;
  return arena.allocate(size, align);
}

void reset(void* memory, Arena& arena) {
  State& state = of(memory);
  if (!state.extra.empty()) state.extra.clear();
  arena.next = state.kept.get();
  arena.end = arena.next == nullptr ? nullptr : arena.next + kArenaBytes;
}

}  // namespace

extern constinit const AllocationStage allocation_arena = {
    .info = {.name = "arena",
             .summary = "4 KiB kept a connection, given back whole at the end of a request",
             .costs = "no allocation for ordinary requests",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .init = init,
    .refill = refill,
    .reset = reset,
    .destroy = destroy,
};

}  // namespace hotlap::variants
