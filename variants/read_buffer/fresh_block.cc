// A fresh block for every read, given back as soon as it is consumed. Costs one allocation and one
// release of 4 KiB a request; memory stays flat.
#include <deque>
#include <new>

#include "server/stages/read_buffer.h"
#include "variants/read_buffer/blocks.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct State {
  std::deque<Block> blocks;
  std::size_t used_up = 0;  // blocks in front that are consumed: released on the next read
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }

int prepare(void* memory, iovec* segments, int) {
  State& state = of(memory);
  for (; state.used_up > 0; --state.used_up) state.blocks.pop_front();
  // A read that yielded nothing leaves its block: take it again rather than pile them up.
  if (state.blocks.empty() || state.blocks.back().end != 0) {
    state.blocks.push_back(fresh_block());
  }
  segments[0] = {state.blocks.back().bytes.get(), kBlockBytes};
  return 1;
}

void commit(void* memory, std::size_t bytes) { of(memory).blocks.back().end += bytes; }

int unread(const void* memory, std::size_t skip, iovec* segments, int capacity) {
  const auto& blocks = of(memory).blocks;
  return list_unread(blocks.begin(), blocks.end(), skip, segments, capacity);
}

void consume(void* memory, std::size_t bytes) {
  State& state = of(memory);
  consume_blocks(state.blocks, state.used_up, bytes, kKeepNone);
}

std::size_t held_bytes(const void* state) { return of(state).blocks.size() * kBlockBytes; }

}  // namespace

extern constinit const ReadBufferStage read_buffer_fresh_block = {
    .info = {.name = "fresh_block",
             .summary = "a fresh block a read, released once consumed",
             .costs = "1 allocation and 1 release of 4 KiB a request",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .init = init,
    .destroy = destroy,
    .prepare = prepare,
    .commit = commit,
    .unread = unread,
    .consume = consume,
    .held_bytes = held_bytes,
};

}  // namespace hotlap::variants
