// Exact patterns in a hash table, patterns with parameters in a list beside it. Costs one hash of
// the path and one compare for an exact route, however many there are.
#include <new>

#include "variants/router/hash_table.h"

namespace hotlap::variants {
namespace {

using namespace server;

void build(void* memory, const RoutePattern* patterns, std::size_t count) {
  new (memory) HashTable(patterns, count);
}

void destroy(void* state) { static_cast<HashTable*>(state)->~HashTable(); }

RouteMatch match(const void* state, Method method, std::string_view path) {
  return static_cast<const HashTable*>(state)->match(method, path);
}

}  // namespace

extern constinit const RouterStage router_hash = {
    .info = {.name = "hash",
             .summary = "exact routes in a hash table, patterns in a list",
             .costs = "1 hash of the path; the patterns are tried one by one",
             .state_size = sizeof(HashTable),
             .state_align = alignof(HashTable)},
    .build = build,
    .destroy = destroy,
    .match = match,
};

}  // namespace hotlap::variants
