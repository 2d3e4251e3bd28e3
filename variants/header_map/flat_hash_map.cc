// absl::flat_hash_map from lower-case name to the first field of that name, the fields beside it in
// order of arrival, their bytes in the arena. Costs one copy and one hash of each field, and no
// allocation once the table has grown: clearing keeps it. The idea is Abseil's Swiss table.
// tidy: allow core: marked HOTLAP_VARIANT_ABSEIL, and left out where the core is built alone
#include <absl/container/flat_hash_map.h>

#include <new>
#include <vector>

#include "server/http/header_loop.h"
#include "server/stages/header_map.h"
#include "variants/header_map/storing.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct State {
  absl::flat_hash_map<std::string_view, std::size_t> first;  // position of the first of a name
  std::vector<HeaderField> fields;
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

struct Storage {
  State& state;
  Arena& arena;

  void add(std::string_view name, std::string_view value) {
    const std::string_view key = lower_copy(arena, name);
    state.first.try_emplace(key, state.fields.size());
    state.fields.push_back({key, arena.copy(value)});
  }
};

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }

void clear(void* memory) {
  State& state = of(memory);
  state.first.clear();
  state.fields.clear();
}

HttpStatus parse(void* memory, std::string_view block, Arena& arena, FramingFields& framing) {
  clear(memory);
  Storage storage{of(memory), arena};
  return parse_header_block(block, storage, framing);
}

std::size_t count(const void* state) { return of(state).fields.size(); }
HeaderField at(const void* state, std::size_t index) { return of(state).fields[index]; }

bool first(const void* memory, std::string_view name, std::string_view& value) {
  const State& state = of(memory);
  const auto found = state.first.find(name);
  if (found == state.first.end()) return false;
  value = state.fields[found->second].value;
  return true;
}

}  // namespace

extern constinit const HeaderMapStage header_map_flat_hash_map = {
    .info = {.name = "flat_hash_map",
             .summary = "an absl::flat_hash_map of names, fields in order beside it",
             .costs = "1 copy and 1 hash a field; no allocation once warm",
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
