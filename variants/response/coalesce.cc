// Head in the arena and a small body copied in behind it, so that one segment goes out by the plain
// send; a larger body stays where it is, as in `writev`. Costs no allocation and a copy of at most
// 1 KiB, and saves what the kernel spends to take in a vector of segments: some 70 ns a reply
// (results/stages-and-references).
#include <cstring>

#include "variants/response/apart.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::size_t kMaxCopiedBytes = 1024;

void encode(void*, const ReplyHead& head, std::string_view body, Arena& arena, Output& out) {
  if (body.size() > kMaxCopiedBytes) {
    encode_apart(head, body, arena, out);
  } else {
    auto* const text = static_cast<char*>(arena.allocate(reply_head_bound(head) + body.size(), 1));
    const std::size_t head_bytes = write_reply_head(head, text);
    if (!body.empty()) std::memcpy(text + head_bytes, body.data(), body.size());
    out.segments[0] = {text, head_bytes + body.size()};
    out.count = 1;
  }
  out.first_count = out.count;
}

}  // namespace

extern constinit const ResponseStage response_coalesce = {
    .info = {.name = "coalesce",
             .summary = "head and a body of up to 1 KiB in one piece of the arena, one send",
             .costs = "no allocation, 1 copy of a small body; 1 write"},
    .init = without_state,
    .destroy = without_state,
    .encode = encode,
    .clear = nullptr,
};

}  // namespace hotlap::variants
