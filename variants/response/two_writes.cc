// Head in the arena, body where it lies, each sent by a write of its own. Costs two syscalls and
// two packets for a reply that has a body.
#include "variants/response/apart.h"

namespace hotlap::variants {
namespace {

using namespace server;

void encode(void*, const ReplyHead& head, std::string_view body, Arena& arena, Output& out) {
  encode_apart(head, body, arena, out);
  out.first_count = 1;
}

}  // namespace

extern constinit const ResponseStage response_two_writes = {
    .info = {.name = "two_writes",
             .summary = "head and body in a write each",
             .costs = "no allocation; 2 writes when there is a body"},
    .init = without_state,
    .destroy = without_state,
    .encode = encode,
    .clear = nullptr,
};

}  // namespace hotlap::variants
