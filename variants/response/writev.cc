// Head in the arena, body where it lies, both handed over in one call. Costs no allocation (the
// arena keeps its block), no copy of the body, and one syscall a reply.
#include "variants/response/apart.h"

namespace hotlap::variants {
namespace {

using namespace server;

void encode(void*, const ReplyHead& head, std::string_view body, Arena& arena, Output& out) {
  encode_apart(head, body, arena, out);
  out.first_count = out.count;
}

}  // namespace

extern constinit const ResponseStage response_writev = {
    .info = {.name = "writev",
             .summary = "head and body in one call, head built in the arena",
             .costs = "no allocation, no copy of the body; 1 write"},
    .init = without_state,
    .destroy = without_state,
    .encode = encode,
    .clear = nullptr,
};

}  // namespace hotlap::variants
