// Accepted sockets as they come: Nagle's algorithm holds a small write back while an earlier one is
// not acknowledged. Costs nothing a connection; with response=two_writes the second part of a
// keep-alive reply can wait for the peer's delayed acknowledgement, some 40 ms.
#include "server/stages/socket_options.h"

namespace hotlap::variants {
namespace {

using namespace server;

void apply_accepted(int) {}

}  // namespace

extern constinit const SocketOptionsStage socket_options_nagle = {
    .info = {.name = "nagle",
             .summary = "no options: small writes wait while an earlier one is unacknowledged",
             .costs = "no syscall; with two_writes up to 40 ms a reply"},
    .apply_accepted = apply_accepted,
};

}  // namespace hotlap::variants
