// The historical buffer, fault included: every read takes a fresh block and the connection's list
// of blocks is built anew with one more place, each block moved over, and none is ever given back.
// Costs an allocation, a page fault and O(requests so far) moves a request. Declared `growing`.
#include <new>
#include <utility>
#include <vector>

#include "server/stages/read_buffer.h"
#include "variants/read_buffer/blocks.h"

namespace hotlap::variants {
namespace {

using namespace server;

// 1 GiB a connection: beyond it the buffer refuses, and the server ends the connection.
constexpr std::size_t kMaxBlocks = 262144;

struct State {
  std::vector<Block> blocks;
  std::size_t first = 0;  // blocks before it are consumed, and kept
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }

int prepare(void* memory, iovec* segments, int) {
  State& state = of(memory);
  if (state.blocks.size() >= kMaxBlocks) return 0;
  std::vector<Block> grown;
  grown.reserve(state.blocks.size() + 1);
  for (Block& block : state.blocks) grown.push_back(std::move(block));
  grown.push_back(fresh_block());
  state.blocks = std::move(grown);
  segments[0] = {state.blocks.back().bytes.get(), kBlockBytes};
  return 1;
}

void commit(void* memory, std::size_t bytes) { of(memory).blocks.back().end += bytes; }

int unread(const void* memory, std::size_t skip, iovec* segments, int capacity) {
  const State& state = of(memory);
  const Block* const blocks = state.blocks.data();
  return list_unread(blocks + state.first, blocks + state.blocks.size(), skip, segments, capacity);
}

void consume(void* memory, std::size_t bytes) {
  State& state = of(memory);
  consume_blocks(state.blocks, state.first, bytes, kKeepNone);
}

std::size_t held_bytes(const void* state) { return of(state).blocks.size() * kBlockBytes; }

}  // namespace

extern constinit const ReadBufferStage read_buffer_growing = {
    .info = {.name = "growing",
             .summary = "a fresh block a read; the list of blocks grows for ever and is moved",
             .costs = "1 allocation of 4 KiB, 1 page fault and O(requests so far) moves a request",
             .exemptions = kExemptGrowing,
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
