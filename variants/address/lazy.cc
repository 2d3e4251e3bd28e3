// Asks when a handler first wants to know, and keeps the answer for the connection. Costs nothing
// where nobody asks.
#include "server/stages/address.h"
#include "variants/address/asked_once.h"

namespace hotlap::variants {
namespace {

using namespace server;

AddressPair get(void* state, int fd) {
  AskedOnce& asked = AskedOnce::of(state);
  asked.ask(fd);
  return asked.names.view();
}

}  // namespace

extern constinit const AddressStage address_lazy = {
    .info = {.name = "lazy",
             .summary = "both addresses asked when a handler first wants them",
             .costs = "2 syscalls a connection whose handlers ask, else none",
             .state_size = sizeof(AskedOnce),
             .state_align = alignof(AskedOnce)},
    .init = AskedOnce::init,
    .on_request = nullptr,
    .get = get,
};

}  // namespace hotlap::variants
