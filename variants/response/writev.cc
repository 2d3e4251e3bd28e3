// Head in the arena, body where it lies, both handed over in one call. Costs no allocation (the
// arena keeps its block), no copy of the body, and one syscall a reply.
#include "server/stages/response.h"

namespace hotlap::variants {
namespace {

using namespace server;

void init(void*) {}
void destroy(void*) {}
void clear(void*) {}

void encode(void*, const ReplyHead& head, std::string_view body, Arena& arena, Output& out) {
  auto* const text = static_cast<char*>(arena.allocate(reply_head_bound(head), 1));
  out.segments[0] = {text, write_reply_head(head, text)};
  out.count = 1;
  if (!body.empty()) out.segments[out.count++] = {const_cast<char*>(body.data()), body.size()};
  out.first_count = out.count;
}

}  // namespace

extern constinit const ResponseStage response_writev = {
    .info = {.name = "writev",
             .summary = "head and body in one call, head built in the arena",
             .costs = "no allocation, no copy of the body; 1 write"},
    .init = init,
    .destroy = destroy,
    .encode = encode,
    .clear = clear,
};

}  // namespace hotlap::variants
