// A tree of segments: from each node to the next by literal text, by a parameter, or to the end by
// a catch-all. Costs one search among siblings a segment, however many routes there are. Where a
// literal and a parameter both fit, both ways are gone, since the first registered wins; a node is
// visited at most once.
#include <algorithm>
#include <deque>
#include <new>
#include <vector>

#include "variants/router/pattern.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct Node;

struct Ending {
  std::uint32_t methods;
  int route;
};

struct Literal {
  std::string_view text;
  Node* node;
};

struct Node {
  std::vector<Literal> literals;  // in order of text once built
  Node* param = nullptr;
  std::vector<Ending> endings;     // of patterns that end here
  std::vector<Ending> catch_alls;  // of patterns that go on with `*`
};

struct State {
  std::deque<Node> nodes;  // never moves one; the first is the root
};

State& of(void* state) { return *static_cast<State*>(state); }
const State& of(const void* state) { return *static_cast<const State*>(state); }

std::vector<Literal>::const_iterator place_of(const Node& node, std::string_view text) {
  return std::lower_bound(
      node.literals.begin(), node.literals.end(), text,
      [](const Literal& literal, std::string_view wanted) { return literal.text < wanted; });
}

Node& literal_of(State& state, Node& node, std::string_view text) {
  const auto place = place_of(node, text);
  if (place != node.literals.end() && place->text == text) return *place->node;
  Node& added = state.nodes.emplace_back();
  node.literals.insert(place, {text, &added});
  return added;
}

Node& param_of(State& state, Node& node) {
  if (node.param == nullptr) node.param = &state.nodes.emplace_back();
  return *node.param;
}

void add(State& state, const RoutePattern& pattern, int route) {
  Node* node = &state.nodes.front();
  std::string_view rest = pattern.pattern;
  while (!rest.empty()) {
    const std::string_view segment = take_segment(rest);
    if (segment == "*" && rest.empty()) {
      node->catch_alls.push_back({pattern.methods, route});
      return;
    }
    node = segment.starts_with(':') ? &param_of(state, *node) : &literal_of(state, *node, segment);
  }
  node->endings.push_back({pattern.methods, route});
}

void build(void* memory, const RoutePattern* patterns, std::size_t count) {
  State& state = *new (memory) State;
  state.nodes.emplace_back();
  for (std::size_t i = 0; i < count; ++i) add(state, patterns[i], static_cast<int>(i));
}

void destroy(void* state) { of(state).~State(); }

struct Walk {
  Method method;
  BestRoute best;
  RouteMatch found;  // the parameters on the way to where the walk is

  void consider(const std::vector<Ending>& endings, bool catch_all) {
    for (const Ending& ending : endings) {
      best.consider(method, ending.methods, ending.route, catch_all, found);
    }
  }

  // Depth is that of the deepest pattern, not of the path.
  void enter(const Node& node, std::string_view path) {
    if (path.empty()) return consider(node.endings, false);
    const int params = found.param_count;
    if (!node.catch_alls.empty()) {
      add_param(found, path.substr(1));
      consider(node.catch_alls, true);
      found.param_count = params;
    }
    std::string_view rest = path;
    const std::string_view segment = take_segment(rest);
    const auto literal = place_of(node, segment);
    if (literal != node.literals.end() && literal->text == segment) enter(*literal->node, rest);
    if (node.param == nullptr || segment.empty()) return;
    add_param(found, segment);
    enter(*node.param, rest);
    found.param_count = params;
  }
};

RouteMatch match(const void* memory, Method method, std::string_view path) {
  Walk walk{.method = method, .best = {}, .found = {}};
  // Only a path has segments: `*` and an authority match no pattern.
  if (path.starts_with('/')) walk.enter(of(memory).nodes.front(), path);
  return walk.best.match;
}

}  // namespace

extern constinit const RouterStage router_trie = {
    .info = {.name = "trie",
             .summary = "a tree of segments, literal, parameter or catch-all",
             .costs = "1 binary search among siblings a segment",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .build = build,
    .destroy = destroy,
    .match = match,
};

}  // namespace hotlap::variants
