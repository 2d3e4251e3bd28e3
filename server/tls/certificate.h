// A server's key and certificate: made for one run, or read from files.
#pragma once

#include "server/tls/handles.h"

namespace hotlap::tls {

struct Identity {
  KeyPtr key;
  CertificatePtr certificate;
};

// A fresh ECDSA P-256 key and a certificate signed by itself for localhost, 127.0.0.1 and ::1, good
// from a day ago for a month. About 0.1 ms. Null key and an error on failure.
Identity make_identity(std::string& error);

// Gives the context what the two PEM files hold; the chain may follow the certificate. Empty, or
// which file is at fault and why. Never asks for a pass phrase.
std::string use_identity_files(SSL_CTX* context, const std::string& certificate_file,
                               const std::string& key_file);

// Writes the context's certificate as PEM, for clients to trust. Empty, or what went wrong.
std::string write_certificate(SSL_CTX* context, const std::string& file);

}  // namespace hotlap::tls
