// std::unordered_multimap from lower-case name to value, and the order of arrival beside it. Costs
// a node and up to two strings on the heap a field: the ordinary way, and the one to beat.
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/http/header_loop.h"
#include "server/stages/header_map.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct Stored {
  std::string value;
  std::size_t position;
};
using Map = std::unordered_multimap<std::string, Stored>;

struct State {
  Map map;
  std::vector<const Map::value_type*> order;
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

struct Storage {
  State& state;

  void add(std::string_view name, std::string_view value) {
    std::string lower(name);
    for (char& c : lower) c = to_lower(c);
    const auto added =
        state.map.emplace(std::move(lower), Stored{std::string(value), state.order.size()});
    state.order.push_back(&*added);
  }
};

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }

void clear(void* memory) {
  State& state = of(memory);
  state.map.clear();
  state.order.clear();
}

HttpStatus parse(void* memory, std::string_view block, Arena&, FramingFields& framing) {
  clear(memory);
  Storage storage{of(memory)};
  return parse_header_block(block, storage, framing);
}

std::size_t count(const void* state) { return of(state).order.size(); }

HeaderField at(const void* state, std::size_t index) {
  const Map::value_type& entry = *of(state).order[index];
  return {entry.first, entry.second.value};
}

bool first(const void* state, std::string_view name, std::string_view& value) {
  const auto [begin, end] = of(state).map.equal_range(std::string(name));
  const Stored* earliest = nullptr;
  for (auto entry = begin; entry != end; ++entry) {
    if (earliest == nullptr || entry->second.position < earliest->position) {
      earliest = &entry->second;
    }
  }
  if (earliest == nullptr) return false;
  value = earliest->value;
  return true;
}

}  // namespace

extern constinit const HeaderMapStage header_map_unordered_map = {
    .info = {.name = "unordered_map",
             .summary = "a std::unordered_multimap of strings, order of arrival beside it",
             .costs = "1 to 3 heap allocations a field",
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
