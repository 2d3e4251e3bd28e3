// TLS under a connection of the load: a handshake before the first request, then send and recv that
// read as the system's do. Costs what OpenSSL costs: some 10 KB a connection, and for each
// handshake a key exchange and, unless it resumes, the check of a signature.
#ifndef HOTLAP_HARNESS_LOAD_TLS_WIRE_H_
#define HOTLAP_HARNESS_LOAD_TLS_WIRE_H_

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/tls/client.h"

namespace hotlap::load {

// How an arm speaks TLS.
struct TlsSpec {
  bool verify = true;            // else any certificate will do
  std::string trusted_pem = {};  // certificates, PEM; the system's when empty
  bool resume = false;           // each connection offers its last session when it is opened anew
  std::string server_name = {};  // what the certificate must be for: a name (sent as SNI), or an IP
};

// What the connections of an arm share; any thread may use it.
class TlsArm {
 public:
  // Null and an error where the spec cannot be met.
  static std::shared_ptr<const TlsArm> make(const TlsSpec& spec, std::string& error);

  const TlsSpec& spec() const { return spec_; }
  const tls::ClientContext& context() const { return *context_; }

 private:
  TlsArm(TlsSpec spec, std::unique_ptr<tls::ClientContext> context)
      : spec_(std::move(spec)), context_(std::move(context)) {}

  TlsSpec spec_;
  std::unique_ptr<tls::ClientContext> context_;
};

class TlsWire {
 public:
  enum class Step { kDone, kNeedRead, kNeedWrite, kFailed };

  // Over `fd`, which stays the caller's; `session` is offered where there is one.
  TlsWire(const TlsArm& arm, int fd, SSL_SESSION* session);

  // One attempt; once more when the descriptor is ready for what is needed.
  Step handshake();
  bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  // What was agreed on, once it is done: "TLSv1.3", "TLS_AES_256_GCM_SHA384".
  const char* protocol() const { return SSL_get_version(ssl_.get()); }
  const char* cipher() const { return SSL_get_cipher_name(ssl_.get()); }
  const std::string& error() const { return error_; }

  // As send(2) and recv(2): -1 and errno, EAGAIN where it must wait, EPROTO for a fault of TLS
  // (error() says which), 0 once the server has ended it. receive() goes on while OpenSSL holds
  // bytes that it has taken off the descriptor: less than a full buffer means that none are left.
  ssize_t send(std::string_view bytes);
  ssize_t receive(std::span<char> buffer);

  // To offer next time; null where the server gave none. Only once all was read.
  tls::SessionPtr take_session();

 private:
  ssize_t failure(int returned);

  tls::SslPtr ssl_;
  std::string error_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_TLS_WIRE_H_
