// Blocks are kept and rotate: an empty buffer starts again at the front of its block, left-overs
// of a pipeline are moved to the front only when the next read is about to happen and there is no
// room, and a block that was used up goes to the back of the queue. Costs no allocation a request
// once warm and at most two blocks for ordinary heads; the idea is that of a ring of buffers.
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "server/stages/read_buffer.h"
#include "variants/read_buffer/blocks.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::size_t kKeptBlocks = 2;
// With less room than this behind left-overs, moving them beats a read of a few bytes.
constexpr std::size_t kLowRoom = kBlockBytes / 4;

struct State {
  std::vector<Block> blocks;  // [first, used) hold unread bytes; from used on they are empty
  std::size_t first = 0;      // blocks before it are used up and rotate on entry to the next read
  std::size_t used = 0;
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }

// Used-up blocks go to the back, empty; beyond those worth keeping they are released.
void rotate(State& state) {
  for (; state.first > 0; --state.first) {
    Block empty = std::move(state.blocks.front());
    empty.begin = empty.end = 0;
    state.blocks.erase(state.blocks.begin());
    --state.used;
    if (state.blocks.size() < kKeptBlocks) state.blocks.push_back(std::move(empty));
  }
}

void use_another(State& state) {
  if (state.used == state.blocks.size()) state.blocks.push_back(fresh_block());
  ++state.used;
}

int prepare(void* memory, iovec* segments, int) {
  State& state = of(memory);
  if (state.first != 0) rotate(state);
  if (state.used == 0) use_another(state);
  Block* last = &state.blocks[state.used - 1];
  if (last->size() == 0) {
    last->begin = last->end = 0;
  } else if (last->room() < kLowRoom && state.used == 1 && last->begin != 0) {
    std::memmove(last->bytes.get(), last->bytes.get() + last->begin, last->size());
    last->end -= last->begin;
    last->begin = 0;
  }
  if (last->room() == 0) {
    use_another(state);
    last = &state.blocks[state.used - 1];
  }
  segments[0] = {last->bytes.get() + last->end, last->room()};
  return 1;
}

void commit(void* memory, std::size_t bytes) {
  State& state = of(memory);
  state.blocks[state.used - 1].end += bytes;
}

int unread(const void* memory, std::size_t skip, iovec* segments, int capacity) {
  const State& state = of(memory);
  const Block* const blocks = state.blocks.data();
  return list_unread(blocks + state.first, blocks + state.used, skip, segments, capacity);
}

void consume(void* memory, std::size_t bytes) {
  State& state = of(memory);
  consume_blocks(state.blocks, state.first, bytes, state.used - 1);
}

std::size_t held_bytes(const void* state) { return of(state).blocks.size() * kBlockBytes; }

}  // namespace

extern constinit const ReadBufferStage read_buffer_reuse = {
    .info = {.name = "reuse",
             .summary = "blocks rotate when full; left-overs move only on entry to a read",
             .costs = "no allocation and no copy a request once warm",
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
