// Asks the kernel for both addresses on every request, wanted or not: what one PHP server did.
// Costs getpeername, getsockname and their formatting a request.
#include <new>

#include "server/stages/address.h"
#include "variants/address/names.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct State {
  SocketNames names;
};

State& of(void* state) { return *static_cast<State*>(state); }

void init(void* state) { new (state) State; }

void on_request(void* state, int fd) { ask_names(fd, of(state).names); }

AddressPair get(void* state, int) { return of(state).names.view(); }

}  // namespace

extern constinit const AddressStage address_per_request = {
    .info = {.name = "per_request",
             .summary = "both addresses asked of the kernel each request",
             .costs = "2 syscalls a request",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .init = init,
    .on_request = on_request,
    .get = get,
};

}  // namespace hotlap::variants
