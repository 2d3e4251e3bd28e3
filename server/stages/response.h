// Stage `response`: how head and body of a reply become the segments of one or two writes.
// State: one a connection. Segments stay good until the next encode() or reset of the arena.
#pragma once

#include <sys/uio.h>

#include "server/http/reply.h"
#include "server/stages/allocation.h"
#include "server/stages/variant.h"

namespace hotlap::server {

struct Output {
  iovec segments[2];
  int count = 0;        // segments in all
  int first_count = 0;  // of these in the first write; the rest go in a second one
};

struct ResponseStage {
  VariantInfo info;
  void (*init)(void* state);
  void (*destroy)(void* state);
  // `body` is empty for HEAD, for 204 and for a streamed file. It outlives the write.
  void (*encode)(void* state, const ReplyHead& head, std::string_view body, Arena& arena,
                 Output& out);
  // The reply was written; before the arena is reset. Null: nothing is to be done.
  void (*clear)(void* state);
};

}  // namespace hotlap::server
