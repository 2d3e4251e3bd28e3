// Stage `router`: from method and path to a route. State: one a server, built once, then only read.
// Patterns: `/a/b`, `/a/:param` (a whole, non-empty segment), `/a/*` (the rest, last). Of the
// routes that match path and method the first registered wins, but a catch-all yields to any other.
// A trailing slash counts; `*` before the last segment is itself. A path that does not begin with a
// slash (`*`, an authority) matches nothing.
#pragma once

#include "server/http/head.h"
#include "server/stages/variant.h"

namespace hotlap::server {

struct RoutePattern {
  std::uint32_t methods;     // method_bit() of each
  std::string_view pattern;  // begins with a slash; lives as long as the router
};

inline constexpr int kMaxRouteParams = 4;

struct RouteMatch {
  int route = -1;             // index into the patterns, -1 when none fits path and method
  std::uint32_t allowed = 0;  // methods of all routes whose path matches; 0: no such path
  int param_count = 0;
  std::string_view params[kMaxRouteParams];  // the first ones, in order; they lie in the path
};

struct RouterStage {
  VariantInfo info;
  void (*build)(void* state, const RoutePattern* patterns, std::size_t count);
  void (*destroy)(void* state);
  // `path` is without its query; the method is a known one.
  RouteMatch (*match)(const void* state, Method method, std::string_view path);
};

}  // namespace hotlap::server
