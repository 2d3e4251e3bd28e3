// OpenSSL's objects, freed with their owner, and its errors in words. Its queue of errors belongs
// to a thread: whoever asks why something failed asks in the thread where it did.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace hotlap::tls {

template <auto free_it>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free_it(object);
  }
};

using ContextPtr = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Free<SSL_free>>;
using SessionPtr = std::unique_ptr<SSL_SESSION, Free<SSL_SESSION_free>>;
using CertificatePtr = std::unique_ptr<X509, Free<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using BioMethodPtr = std::unique_ptr<BIO_METHOD, Free<BIO_meth_free>>;

// The innermost reason of the last failure in this thread; forgets all of them.
inline std::string take_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

}  // namespace hotlap::tls
