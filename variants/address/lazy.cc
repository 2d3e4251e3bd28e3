// Asks when a handler first wants to know, and keeps the answer for the connection. Costs nothing
// where nobody asks.
#include <new>

#include "server/stages/address.h"
#include "variants/address/names.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct State {
  bool known = false;
  SocketNames names;
};

State& of(void* state) { return *static_cast<State*>(state); }

void init(void* state) { new (state) State; }

void ask_once(void* memory, int fd) {
  State& state = of(memory);
  if (state.known) return;
  ask_names(fd, state.names);
  state.known = true;
}

void on_request(void*, int) {}

AddressPair get(void* state, int fd) {
  ask_once(state, fd);
  return of(state).names.view();
}

}  // namespace

extern constinit const AddressStage address_lazy = {
    .info = {.name = "lazy",
             .summary = "both addresses asked when a handler first wants them",
             .costs = "2 syscalls a connection whose handlers ask, else none",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .init = init,
    .on_request = on_request,
    .get = get,
};

}  // namespace hotlap::variants
