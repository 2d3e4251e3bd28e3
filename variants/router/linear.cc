// Every pattern is tried in the order of registration. Costs a walk over all routes, since the
// methods of each that matches belong to Allow and an exact one may come after a catch-all. The
// ordinary way of a small router, and the one that shows what a table is worth as routes grow.
#include <new>
#include <vector>

#include "variants/router/pattern.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct State {
  std::vector<RoutePattern> patterns;
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

void build(void* memory, const RoutePattern* patterns, std::size_t count) {
  State& state = *new (memory) State;
  state.patterns.assign(patterns, patterns + count);
}

void destroy(void* state) { of(state).~State(); }

RouteMatch match(const void* memory, Method method, std::string_view path) {
  BestRoute best;
  int route = 0;
  for (const RoutePattern& pattern : of(memory).patterns) {
    RouteMatch found;
    if (match_pattern(pattern.pattern, path, found)) {
      best.consider(method, pattern.methods, route, is_catch_all(pattern.pattern), found);
    }
    ++route;
  }
  return best.match;
}

}  // namespace

extern constinit const RouterStage router_linear = {
    .info = {.name = "linear",
             .summary = "every pattern tried in the order of registration",
             .costs = "a compare of segments for each route there is",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .build = build,
    .destroy = destroy,
    .match = match,
};

}  // namespace hotlap::variants
