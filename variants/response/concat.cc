// Head and body copied into one fresh string, sent by one write. Costs an allocation and a copy of
// the body, and one syscall a reply.
#include <new>
#include <string>

#include "server/stages/response.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct State {
  std::string text;
};

State& of(void* state) { return *static_cast<State*>(state); }

void init(void* state) { new (state) State; }
void destroy(void* state) { of(state).~State(); }
void clear(void* state) { of(state).text = std::string(); }

void encode(void* memory, const ReplyHead& head, std::string_view body, Arena&, Output& out) {
  std::string text;
  text.reserve(reply_head_bound(head) + body.size());
  text.resize(reply_head_bound(head));
  text.resize(write_reply_head(head, text.data()));
  text.append(body);
  State& state = of(memory);
  state.text = std::move(text);
  out.segments[0] = {state.text.data(), state.text.size()};
  out.count = out.first_count = 1;
}

}  // namespace

extern constinit const ResponseStage response_concat = {
    .info = {.name = "concat",
             .summary = "head and body copied into one fresh string, one write",
             .costs = "1 allocation and 1 copy of the body; 1 write",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .init = init,
    .destroy = destroy,
    .encode = encode,
    .clear = clear,
};

}  // namespace hotlap::variants
