// TLS by OpenSSL that never resumes a session: every connection pays a key exchange (X25519) and a
// signature (ECDSA P-256), about five syscalls and some 60 allocations. A request costs one recv
// and one send as over TCP, the encryption of its bytes, and a copy: there is no writev, so that
// head and body are put together into one record of up to 16 KiB. `response=two_writes` makes two
// records.
#include "variants/transport/tls_hooks.h"

namespace hotlap::variants {
namespace {

void* start(const server::TransportSettings& settings, std::string& error) {
  return start_tls(settings, tls::Resumption::kNever, error);
}

}  // namespace

extern constinit const server::TransportStage transport_tls =
    tls_transport("tls", "TLS 1.2 and 1.3 (OpenSSL), a full handshake for every connection",
                  "a key exchange and a signature a connection; 1 recv and 1 send a request, "
                  "its bytes encrypted",
                  start);

}  // namespace hotlap::variants
