// Exact patterns in a hash table, patterns with parameters in a list beside it. Costs one hash of
// the path and one compare for an exact route, however many there are.
#include <new>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/stages/router.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr int kNone = -1;

struct Exact {
  std::uint32_t allowed = 0;
  int routes[static_cast<std::size_t>(Method::kUnknown)];  // by method, kNone where there is none
};

struct Pattern {
  std::string_view text;
  std::uint32_t methods;
  int route;
  bool catch_all;
};

struct State {
  std::unordered_map<std::string_view, Exact> exact;
  std::vector<Pattern> patterns;
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

void add_exact(State& state, const RoutePattern& pattern, int route) {
  auto [entry, fresh] = state.exact.try_emplace(pattern.pattern);
  Exact& exact = entry->second;
  for (std::size_t method = 0; method < std::size(exact.routes); ++method) {
    if (fresh) exact.routes[method] = kNone;
    const bool listed = pattern.methods & method_bit(static_cast<Method>(method));
    if (listed && exact.routes[method] == kNone) exact.routes[method] = route;
  }
  exact.allowed |= pattern.methods;
}

void build(void* memory, const RoutePattern* patterns, std::size_t count) {
  State& state = *new (memory) State;
  state.exact.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = patterns[i].pattern;
    const int route = static_cast<int>(i);
    const bool catch_all = text.ends_with("/*");
    if (catch_all || text.find("/:") != text.npos) {
      state.patterns.push_back({text, patterns[i].methods, route, catch_all});
    } else {
      add_exact(state, patterns[i], route);
    }
  }
}

void destroy(void* state) { of(state).~State(); }

// Takes `/segment` off the front.
std::string_view take_segment(std::string_view& path) {
  const std::size_t next = path.find('/', 1);
  const std::string_view segment = path.substr(1, next == path.npos ? next : next - 1);
  path.remove_prefix(next == path.npos ? path.size() : next);
  return segment;
}

bool match_pattern(std::string_view pattern, std::string_view path, RouteMatch& match) {
  match.param_count = 0;
  while (!pattern.empty() && !path.empty() && path.front() == '/') {
    const std::string_view wanted = take_segment(pattern);
    if (wanted == "*") {
      if (match.param_count < kMaxRouteParams) match.params[match.param_count++] = path.substr(1);
      return true;
    }
    const std::string_view segment = take_segment(path);
    if (wanted.starts_with(':')) {
      if (segment.empty()) return false;
      if (match.param_count < kMaxRouteParams) match.params[match.param_count++] = segment;
    } else if (wanted != segment) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

// Better: any route but a catch-all beats a catch-all; among equals the first registered wins.
bool better(bool catch_all, int route, bool best_catch_all, int best) {
  if (best == kNone) return true;
  if (catch_all != best_catch_all) return !catch_all;
  return route < best;
}

RouteMatch match(const void* memory, Method method, std::string_view path) {
  const State& state = of(memory);
  RouteMatch best;
  const auto exact = state.exact.find(path);
  if (exact != state.exact.end()) {
    best.allowed = exact->second.allowed;
    best.route = exact->second.routes[static_cast<std::size_t>(method)];
  }
  bool best_catch_all = false;
  for (const Pattern& pattern : state.patterns) {
    RouteMatch candidate;
    if (!match_pattern(pattern.text, path, candidate)) continue;
    candidate.allowed = best.allowed | pattern.methods;
    candidate.route = pattern.route;
    if ((pattern.methods & method_bit(method)) != 0 &&
        better(pattern.catch_all, pattern.route, best_catch_all, best.route)) {
      best = candidate;
      best_catch_all = pattern.catch_all;
    } else {
      best.allowed = candidate.allowed;
    }
  }
  return best;
}

}  // namespace

extern constinit const RouterStage router_hash = {
    .info = {.name = "hash",
             .summary = "exact routes in a hash table, patterns in a list",
             .costs = "1 hash of the path; the patterns are tried one by one",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .build = build,
    .destroy = destroy,
    .match = match,
};

}  // namespace hotlap::variants
