// Head in the arena, body where it lies, each sent by a write of its own. Costs two syscalls and
// two packets for a reply that has a body.
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
  out.first_count = 1;
}

}  // namespace

extern constinit const ResponseStage response_two_writes = {
    .info = {.name = "two_writes",
             .summary = "head and body in a write each",
             .costs = "no allocation; 2 writes when there is a body"},
    .init = init,
    .destroy = destroy,
    .encode = encode,
    .clear = clear,
};

}  // namespace hotlap::variants
