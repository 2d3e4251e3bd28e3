// A reply whose head lies in the arena and whose body stays where it is: two segments, no copy of
// the body. How many of them go in the first write is what tells `writev` and `two_writes` apart.
#pragma once

#include "server/stages/response.h"

namespace hotlap::variants {

// Leaves out.first_count to the caller.
inline void encode_apart(const server::ReplyHead& head, std::string_view body, server::Arena& arena,
                         server::Output& out) {
  auto* const text = static_cast<char*>(arena.allocate(server::reply_head_bound(head), 1));
  out.segments[0] = {text, server::write_reply_head(head, text)};
  out.count = 1;
  if (!body.empty()) out.segments[out.count++] = {const_cast<char*>(body.data()), body.size()};
}

// For init, destroy and clear: all memory is the arena's.
inline void without_state(void*) {}

}  // namespace hotlap::variants
