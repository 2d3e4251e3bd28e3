// Eight pairs of std::string in the connection, scanned linearly; further fields go to a vector.
// Strings keep their room from request to request. Costs one copy of each field and no allocation
// once warm; a string of more than 15 bytes lies elsewhere than its slot, one cache line further.
#include <new>
#include <string>
#include <vector>

#include "server/http/header_loop.h"
#include "server/stages/header_map.h"
#include "variants/header_map/storing.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::size_t kSlots = 8;
// A slot that held more gives its room back, so that one odd request does not cost memory for ever.
constexpr std::size_t kKeptBytes = 256;

struct Slot {
  std::string name;
  std::string value;
};

struct State {
  std::size_t count = 0;
  Slot slots[kSlots];
  std::vector<Slot> overflow;
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

const Slot& slot_at(const State& state, std::size_t index) {
  return index < kSlots ? state.slots[index] : state.overflow[index - kSlots];
}

struct Storage {
  State& state;

  void add(std::string_view name, std::string_view value) {
    const std::size_t index = state.count++;
    Slot& slot = index < kSlots ? state.slots[index] : state.overflow.emplace_back();
    slot.name.assign(name);
    for (char& c : slot.name) c = to_lower(c);
    slot.value.assign(value);
  }
};

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }

void release_if_large(std::string& text) {
  if (text.capacity() > kKeptBytes) text = std::string();
}

void clear(void* memory) {
  State& state = of(memory);
  for (std::size_t index = 0; index < state.count && index < kSlots; ++index) {
    release_if_large(state.slots[index].name);
    release_if_large(state.slots[index].value);
  }
  state.count = 0;
  state.overflow.clear();
}

HttpStatus parse(void* memory, std::string_view block, Arena&, FramingFields& framing) {
  clear(memory);
  Storage storage{of(memory)};
  return parse_header_block(block, storage, framing);
}

std::size_t count(const void* state) { return of(state).count; }

HeaderField at(const void* state, std::size_t index) {
  const Slot& slot = slot_at(of(state), index);
  return {slot.name, slot.value};
}

bool first(const void* state, std::string_view name, std::string_view& value) {
  return first_by_scan(
      of(state).count, [state](std::size_t index) { return at(state, index); }, name, value);
}

}  // namespace

extern constinit const HeaderMapStage header_map_string_slots = {
    .info = {.name = "string_slots",
             .summary = "8 inline pairs of std::string, overflow vector, linear scan",
             .costs = "1 copy a field; no allocation up to 8 fields once warm",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .init = init,
    .destroy = destroy,
    .parse = parse,
    .clear = clear,
    .count = count,
    .at = at,
    .first = first,
};

}  // namespace hotlap::variants
