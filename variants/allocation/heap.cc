// An arena of size zero: every piece is a block of its own from the heap, given back at the end of
// the request. The ordinary way of a server without an arena: what `arena` is compared with.
#include <memory>
#include <new>
#include <vector>

#include "server/stages/allocation.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct State {
  std::vector<std::unique_ptr<char[]>>
      pieces;  // keeps its room, so that it costs nothing when warm
};

State& of(void* state) { return *static_cast<State*>(state); }

void init(void* state, Arena& arena) {
  new (state) State;
  arena.next = arena.end = nullptr;
}

void destroy(void* state, Arena&) { of(state).~State(); }

// The arena stays empty, so that the next piece comes here too.
void* refill(void* state, Arena&, std::size_t size, std::size_t align) {
  const std::size_t spare = align > __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? align : 0;
  char* const piece = of(state).pieces.emplace_back(new char[size + spare]).get();
  const auto address = reinterpret_cast<std::uintptr_t>(piece);
  return piece + ((align - (address & (align - 1))) & (align - 1));
}

void reset(void* state, Arena&) { of(state).pieces.clear(); }

}  // namespace

extern constinit const AllocationStage allocation_heap = {
    .info = {.name = "heap",
             .summary = "each piece of memory a block of its own, freed at the end of a request",
             .costs = "1 allocation and 1 release for each piece a request takes",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .init = init,
    .refill = refill,
    .reset = reset,
    .destroy = destroy,
};

}  // namespace hotlap::variants
