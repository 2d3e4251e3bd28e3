// TLS by OpenSSL that hands out one session ticket a connection: a client that offers it the next
// time saves the signature and the certificate, not the key exchange (TLS 1.3 with X25519 again,
// for forward secrecy). Tickets carry their session, so that the server keeps none. A client that
// offers no ticket pays for a full handshake and for the ticket. The rest costs what `tls` does.
#include "variants/transport/tls_hooks.h"

namespace hotlap::variants {
namespace {

void* start(const server::TransportSettings& settings, std::string& error) {
  return start_tls(settings, tls::Resumption::kByTicket, error);
}

}  // namespace

extern constinit const server::TransportStage transport_tls_resumed = tls_transport(
    "tls_resumed", "TLS 1.2 and 1.3 (OpenSSL), clients that come back resume by ticket",
    "as tls, but no signature for a client that resumes; a ticket a connection", start);

}  // namespace hotlap::variants
