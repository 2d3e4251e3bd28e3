// Asks on the first request of a connection and keeps the answer in the memory of that connection,
// with which it ends. Costs two syscalls a connection, a test of one flag a request.
#include "server/stages/address.h"
#include "variants/address/asked_once.h"

namespace hotlap::variants {
namespace {

using namespace server;

void on_request(void* state, int fd) { AskedOnce::of(state).ask(fd); }

AddressPair get(void* state, int) { return AskedOnce::of(state).names.view(); }

}  // namespace

extern constinit const AddressStage address_cached = {
    .info = {.name = "cached",
             .summary = "both addresses asked on the first request of a connection",
             .costs = "2 syscalls a connection",
             .state_size = sizeof(AskedOnce),
             .state_align = alignof(AskedOnce)},
    .init = AskedOnce::init,
    .on_request = on_request,
    .get = get,
};

}  // namespace hotlap::variants
