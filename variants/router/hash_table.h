// Exact patterns in a hash table, patterns with parameters in a list beside it: the router `hash`,
// which `adaptor` puts behind its layers.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "variants/router/pattern.h"

namespace hotlap::variants {

class HashTable {
 public:
  HashTable(const server::RoutePattern* patterns, std::size_t count) {
    exact_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int route = static_cast<int>(i);
      if (is_exact(patterns[i].pattern)) {
        add_exact(patterns[i], route);
      } else {
        patterns_.push_back({patterns[i], route, is_catch_all(patterns[i].pattern)});
      }
    }
  }

  server::RouteMatch match(server::Method method, std::string_view path) const {
    BestRoute best;
    const auto exact = exact_.find(path);
    if (exact != exact_.end()) {
      best.match.allowed = exact->second.allowed;
      best.match.route = exact->second.routes[static_cast<std::size_t>(method)];
    }
    for (const Pattern& pattern : patterns_) {
      server::RouteMatch found;
      if (!match_pattern(pattern.registered.pattern, path, found)) continue;
      best.consider(method, pattern.registered.methods, pattern.route, pattern.catch_all, found);
    }
    return best.match;
  }

 private:
  struct Exact {
    std::uint32_t allowed = 0;
    int routes[static_cast<std::size_t>(server::Method::kUnknown)];  // by method, or kNoRoute
  };
  struct Pattern {
    server::RoutePattern registered;
    int route;
    bool catch_all;
  };

  void add_exact(const server::RoutePattern& pattern, int route) {
    auto [entry, fresh] = exact_.try_emplace(pattern.pattern);
    Exact& exact = entry->second;
    for (std::size_t method = 0; method < std::size(exact.routes); ++method) {
      if (fresh) exact.routes[method] = kNoRoute;
      const bool listed = pattern.methods & server::method_bit(static_cast<server::Method>(method));
      if (listed && exact.routes[method] == kNoRoute) exact.routes[method] = route;
    }
    exact.allowed |= pattern.methods;
  }

  std::unordered_map<std::string_view, Exact> exact_;
  std::vector<Pattern> patterns_;
};

}  // namespace hotlap::variants
