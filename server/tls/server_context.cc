// Runs once at start. Sessions are never cached here: a ticket carries its own, so that resuming
// takes no lock that all threads share, and memory does not grow with clients.
#include "server/tls/server_context.h"

#include <string_view>

#include "server/tls/certificate.h"

namespace hotlap::tls {
namespace {

constexpr char kCiphersOf12[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr char kGroups[] = "X25519:P-256";
constexpr std::string_view kProtocols{"\x08http/1.1", 9};
constexpr unsigned char kSessionContext[] = "hotlap";

// A client that names protocols but not ours is told so; one that names none is taken at its port.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* out = nullptr;
  const auto* const ours = reinterpret_cast<const unsigned char*>(kProtocols.data());
  const int found =
      SSL_select_next_proto(&out, chosen_size, ours, kProtocols.size(), offered, offered_size);
  *chosen = out;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

bool set_resumption(SSL_CTX* context, Resumption resumption) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (resumption == Resumption::kNever) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    return SSL_CTX_set_num_tickets(context, 0) == 1;
  }
  // One is as many as a client needs that opens its next connection after this one.
  return SSL_CTX_set_num_tickets(context, 1) == 1 &&
         SSL_CTX_set_session_id_context(context, kSessionContext, sizeof kSessionContext - 1) == 1;
}

bool set_defaults(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  // A write that was cut short goes on from wherever the bytes then lie; buffers of an idle
  // connection are given back, 34 KB each.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // one recv for a record, and for all that came with it
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, kCiphersOf12) == 1 &&
         SSL_CTX_set1_groups_list(context, kGroups) == 1;
}

std::string set_identity(SSL_CTX* context, const server::TransportSettings& settings) {
  if (settings.certificate_file.empty() != settings.key_file.empty()) {
    return "--tls-certificate and --tls-key go together: give both, or neither for a certificate "
           "made at start";
  }
  if (!settings.certificate_file.empty()) {
    return use_identity_files(context, settings.certificate_file, settings.key_file);
  }
  std::string error;
  const Identity made = make_identity(error);
  if (error.empty() && (SSL_CTX_use_certificate(context, made.certificate.get()) != 1 ||
                        SSL_CTX_use_PrivateKey(context, made.key.get()) != 1)) {
    error = "cannot use the certificate made: " + take_error();
  }
  return error;
}

}  // namespace

std::unique_ptr<ServerContext> make_server_context(const server::TransportSettings& settings,
                                                   Resumption resumption, std::string& error) {
  auto made = std::make_unique<ServerContext>();
  made->context.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* const context = made->context.get();
  if (!made->socket.valid() || context == nullptr || !set_defaults(context) ||
      !set_resumption(context, resumption)) {
    error = "cannot set up TLS: " + take_error();
    return nullptr;
  }
  error = set_identity(context, settings);
  if (error.empty() && !settings.certificate_out_file.empty()) {
    error = write_certificate(context, settings.certificate_out_file);
  }
  return error.empty() ? std::move(made) : nullptr;
}

}  // namespace hotlap::tls
