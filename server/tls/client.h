// The client's side: what its connections share, and one connection made ready for a handshake. TLS
// 1.2 or 1.3; `http/1.1` is asked for by ALPN.
#pragma once

#include "server/tls/socket_bio.h"

namespace hotlap::tls {

struct ClientSettings {
  bool verify = true;            // else any certificate will do
  std::string trusted_pem = {};  // certificates, PEM; the system's when empty
  bool resume = false;           // offer the last session to the same server again
};

struct ClientContext {
  SocketBio socket;
  ContextPtr context;
  bool verify;
};

// Null and an error where the settings cannot be met. Then only read; any thread may use it.
std::unique_ptr<ClientContext> make_client_context(const ClientSettings& settings,
                                                   std::string& error);

// A connection over fd that begins with its first read, write or SSL_do_handshake. `host` is a name
// (also told to the server) or a numeric address without brackets; the certificate must be for it
// where it is verified, and only where it is not may it be empty. Null when it is no host or memory
// is short.
SslPtr make_client(const ClientContext& shared, const std::string& host, int fd);

// Why the handshake failed, for people: the certificate's fault where it is that. Forgets the
// errors of this thread.
std::string handshake_error(SSL* ssl);

}  // namespace hotlap::tls
