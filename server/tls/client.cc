// Costs about 10 KB and 60 allocations a connection.
#include "server/tls/client.h"

#include <arpa/inet.h>
#include <openssl/pem.h>

namespace hotlap::tls {
namespace {

using BioPtr = std::unique_ptr<BIO, Free<BIO_free>>;

// As RFC 7301 writes a list: each name with its length before it.
constexpr unsigned char kProtocols[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

bool trust(SSL_CTX* context, const std::string& pem) {
  if (pem.empty()) return SSL_CTX_set_default_verify_paths(context) == 1;
  const BioPtr text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (text == nullptr) return false;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  int trusted = 0;
  for (;;) {
    const CertificatePtr one(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (one == nullptr) break;
    if (X509_STORE_add_cert(store, one.get()) != 1) return false;
    ++trusted;
  }
  ERR_clear_error();  // the end of the text is one
  return trusted != 0;
}

bool is_address(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool set_host(SSL* ssl, const std::string& host, bool verify) {
  if (host.empty()) return !verify;
  if (is_address(host)) {
    return !verify || X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  return SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 &&
         (!verify || SSL_set1_host(ssl, host.c_str()) == 1);
}

}  // namespace

std::unique_ptr<ClientContext> make_client_context(const ClientSettings& settings,
                                                   std::string& error) {
  auto made = std::make_unique<ClientContext>();
  made->verify = settings.verify;
  made->context.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = made->context.get();
  if (!made->socket.valid() || context == nullptr ||
      SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_alpn_protos(context, kProtocols, sizeof kProtocols) != 0) {
    error = "cannot set up TLS: " + take_error();
    return nullptr;
  }
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  // Sessions are kept by whoever resumes them, never here.
  SSL_CTX_set_session_cache_mode(context, settings.resume
                                              ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
                                              : SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(context, settings.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (settings.verify && !trust(context, settings.trusted_pem)) {
    error = "there is no certificate to trust: " + take_error();
    return nullptr;
  }
  return made;
}

SslPtr make_client(const ClientContext& shared, const std::string& host, int fd) {
  SslPtr ssl(SSL_new(shared.context.get()));
  if (ssl == nullptr || !shared.socket.attach(ssl.get(), fd) ||
      !set_host(ssl.get(), host, shared.verify)) {
    return nullptr;
  }
  SSL_set_connect_state(ssl.get());
  return ssl;
}

std::string handshake_error(SSL* ssl) {
  const long fault = SSL_get_verify_result(ssl);
  std::string reason = take_error();
  if (fault == X509_V_OK) return reason;
  return std::string("the certificate is not trusted: ") + X509_verify_cert_error_string(fault);
}

}  // namespace hotlap::tls
