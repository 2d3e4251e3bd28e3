// What all TLS connections of one server share: its certificate, what it accepts, and whether
// sessions are resumed. Made at start, then only read (OpenSSL locks what it counts).
#pragma once

#include "server/stages/transport.h"
#include "server/tls/socket_bio.h"

namespace hotlap::tls {

enum class Resumption : bool { kNever, kByTicket };

struct ServerContext {
  SocketBio socket;
  ContextPtr context;
};

// TLS 1.2 and 1.3, forward secrecy and authenticated ciphers only, no renegotiation, no early data.
// Null and an error where the settings cannot be met.
std::unique_ptr<ServerContext> make_server_context(const server::TransportSettings& settings,
                                                   Resumption resumption, std::string& error);

}  // namespace hotlap::tls
