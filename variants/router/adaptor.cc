// The router `hash` behind a compatibility shim, as one server's second interface stood before its
// first: each request gets a copy of the server's environment with its own method and path in it,
// a first layer makes a request of the old shape out of that, a second one routes it and carries
// what came of it back. Costs an allocation for each of eight variables, two copies of the path and
// what `hash` costs.
#include <iterator>
#include <map>
#include <new>
#include <string>

#include "variants/router/hash_table.h"

namespace hotlap::variants {
namespace {

using namespace server;

using Environment = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kMethodName = "REQUEST_METHOD";
constexpr std::string_view kPathName = "PATH_INFO";

// The variables of CGI/1.1 (RFC 3875, section 4.1) that are the same for all requests.
Environment server_environment() {
  return {{"GATEWAY_INTERFACE", "CGI/1.1"}, {"SCRIPT_NAME", ""},
          {"SERVER_NAME", "localhost"},     {"SERVER_PORT", "80"},
          {"SERVER_PROTOCOL", "HTTP/1.1"},  {"SERVER_SOFTWARE", "hotlap"}};
}

struct State {
  Environment environment;
  HashTable routes;
};

const State& of(const void* state) { return *static_cast<const State*>(state); }

void build(void* memory, const RoutePattern* patterns, std::size_t count) {
  new (memory) State{server_environment(), HashTable(patterns, count)};
}

void destroy(void* state) { static_cast<State*>(state)->~State(); }

// A request as the layer behind knows it: owning all of its text.
struct OldRequest {
  std::string method;
  std::string path;
};

OldRequest old_request(const Environment& environment) {
  return {environment.find(kMethodName)->second, environment.find(kPathName)->second};
}

// What the layer behind hands back, its parameters as places in the path that it was given.
struct OldMatch {
  RouteMatch match;
  std::size_t offsets[kMaxRouteParams] = {};
};

OldMatch route_old_request(const HashTable& routes, const OldRequest& request) {
  OldMatch old{.match = routes.match(method_from(request.method), request.path), .offsets = {}};
  for (int i = 0; i < old.match.param_count; ++i) {
    old.offsets[i] = static_cast<std::size_t>(old.match.params[i].data() - request.path.data());
  }
  return old;
}

RouteMatch match(const void* memory, Method method, std::string_view path) {
  Environment environment = of(memory).environment;
  environment.emplace(kMethodName, method_name(method));
  environment.emplace(kPathName, path);
  OldMatch old = route_old_request(of(memory).routes, old_request(environment));
  // The environment ends with this call; the caller's path goes on.
  for (int i = 0; i < old.match.param_count; ++i) {
    old.match.params[i] = path.substr(old.offsets[i], old.match.params[i].size());
  }
  return old.match;
}

}  // namespace

extern constinit const RouterStage router_adaptor = {
    .info = {.name = "adaptor",
             .summary = "hash behind a per-request copy of an environment and two layers",
             .costs = "9 to 11 allocations and 2 copies of the path, then what hash costs",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .build = build,
    .destroy = destroy,
    .match = match,
};

}  // namespace hotlap::variants
