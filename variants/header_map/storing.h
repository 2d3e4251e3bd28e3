// Steps that header maps share: a name brought to lower case into memory of the request, and the
// search for a field by a scan over all of them.
#pragma once

#include "server/http/chars.h"
#include "server/http/head.h"
#include "server/stages/allocation.h"

namespace hotlap::variants {

inline void lower_into(char* out, std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) out[i] = server::to_lower(name[i]);
}

inline std::string_view lower_copy(server::Arena& arena, std::string_view name) {
  auto* const lower = static_cast<char*>(arena.allocate(name.size(), 1));
  lower_into(lower, name);
  return {lower, name.size()};
}

// At: server::HeaderField (std::size_t index).
template <class At>
bool first_by_scan(std::size_t count, At at, std::string_view name, std::string_view& value) {
  for (std::size_t index = 0; index < count; ++index) {
    const server::HeaderField field = at(index);
    if (field.name != name) continue;
    value = field.value;
    return true;
  }
  return false;
}

}  // namespace hotlap::variants
