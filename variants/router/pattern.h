// What a pattern means, once for all routers: segments, parameters, a catch-all, and which of two
// routes wins.
#pragma once

#include "server/stages/router.h"

namespace hotlap::variants {

inline constexpr int kNoRoute = -1;

inline bool is_catch_all(std::string_view pattern) { return pattern.ends_with("/*"); }
inline bool is_exact(std::string_view pattern) {
  return !is_catch_all(pattern) && pattern.find("/:") == pattern.npos;
}

// Takes `/segment` off the front of a path or pattern that begins with a slash.
inline std::string_view take_segment(std::string_view& path) {
  const std::size_t next = path.find('/', 1);
  const std::string_view segment = path.substr(1, next == path.npos ? next : next - 1);
  path.remove_prefix(next == path.npos ? path.size() : next);
  return segment;
}

inline void add_param(server::RouteMatch& match, std::string_view value) {
  if (match.param_count < server::kMaxRouteParams) match.params[match.param_count++] = value;
}

// Whether the path fits; its parameters are then those of `match`.
inline bool match_pattern(std::string_view pattern, std::string_view path,
                          server::RouteMatch& match) {
  match.param_count = 0;
  while (!pattern.empty() && !path.empty() && path.front() == '/') {
    const std::string_view wanted = take_segment(pattern);
    if (wanted == "*" && pattern.empty()) {
      add_param(match, path.substr(1));
      return true;
    }
    const std::string_view segment = take_segment(path);
    if (wanted.starts_with(':')) {
      if (segment.empty()) return false;
      add_param(match, segment);
    } else if (wanted != segment) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

// The best route so far: any but a catch-all beats a catch-all; among equals the first registered.
struct BestRoute {
  server::RouteMatch match;
  bool catch_all = false;

  bool yields_to(int route, bool other_is_catch_all) const {
    if (match.route == kNoRoute) return true;
    if (other_is_catch_all != catch_all) return catch_all;
    return route < match.route;
  }
  // A route whose path matches, with the parameters that it found.
  void consider(server::Method method, std::uint32_t methods, int route, bool is_catch_all,
                const server::RouteMatch& params) {
    const std::uint32_t allowed = match.allowed | methods;
    if ((methods & server::method_bit(method)) != 0 && yields_to(route, is_catch_all)) {
      match = params;
      match.route = route;
      catch_all = is_catch_all;
    }
    match.allowed = allowed;
  }
};

}  // namespace hotlap::variants
