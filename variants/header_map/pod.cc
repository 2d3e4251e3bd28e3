// Eight slots of plain memory in the connection, 40 bytes for a name and 64 for a value, scanned
// linearly; what does not fit goes to an overflow vector whose bytes lie in the arena. Costs one
// copy of each field and, for ordinary requests, no allocation.
#include <algorithm>
#include <new>
#include <vector>

#include "server/http/header_loop.h"
#include "server/stages/header_map.h"
#include "variants/header_map/storing.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::size_t kSlots = 8;
constexpr std::size_t kNameBytes = 40;
constexpr std::size_t kValueBytes = 64;

struct Slot {
  std::uint8_t name_size;
  std::uint8_t value_size;
  bool spilled;
  std::uint8_t spill;  // index into overflow when spilled
  char name[kNameBytes];
  char value[kValueBytes];
};

struct State {
  std::size_t count = 0;
  std::size_t spilled_count = 0;  // of the first kSlots fields
  std::vector<HeaderField> overflow;
  Slot slots[kSlots];
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

struct Storage {
  State& state;
  Arena& arena;

  void add(std::string_view name, std::string_view value) {
    const std::size_t index = state.count++;
    if (index >= kSlots) return spill(name, value);
    Slot& slot = state.slots[index];
    slot.spilled = name.size() > kNameBytes || value.size() > kValueBytes;
    if (slot.spilled) {
      slot.spill = static_cast<std::uint8_t>(state.spilled_count++);
      return spill(name, value);
    }
    slot.name_size = static_cast<std::uint8_t>(name.size());
    slot.value_size = static_cast<std::uint8_t>(value.size());
    lower_into(slot.name, name);
    std::memcpy(slot.value, value.data(), value.size());
  }

  void spill(std::string_view name, std::string_view value) {
    state.overflow.push_back({lower_copy(arena, name), arena.copy(value)});
  }
};

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }

void clear(void* memory) {
  State& state = of(memory);
  state.count = 0;
  state.spilled_count = 0;
  state.overflow.clear();
}

HttpStatus parse(void* memory, std::string_view block, Arena& arena, FramingFields& framing) {
  clear(memory);
  Storage storage{of(memory), arena};
  return parse_header_block(block, storage, framing);
}

std::size_t count(const void* state) { return of(state).count; }

HeaderField at(const void* memory, std::size_t index) {
  const State& state = of(memory);
  if (index >= kSlots) return state.overflow[state.spilled_count + index - kSlots];
  const Slot& slot = state.slots[index];
  if (slot.spilled) return state.overflow[slot.spill];
  return {{slot.name, slot.name_size}, {slot.value, slot.value_size}};
}

bool first(const void* state, std::string_view name, std::string_view& value) {
  return first_by_scan(
      of(state).count, [state](std::size_t index) { return at(state, index); }, name, value);
}

}  // namespace

extern constinit const HeaderMapStage header_map_pod = {
    .info = {.name = "pod",
             .summary = "8 inline slots of 40 and 64 bytes, overflow vector, linear scan",
             .costs = "1 copy a field; no allocation up to 8 ordinary fields",
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
