// A connection is dropped without a last word: the server closes first where it is to be closed,
// and a load that stops has nothing to add. OpenSSL is told that one was sent, else it takes the
// session for spoilt.
#include "harness/load/tls_wire.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace hotlap::load {

std::shared_ptr<const TlsArm> TlsArm::make(const TlsSpec& spec, std::string& error) {
  tls::ClientSettings settings;
  settings.verify = spec.verify;
  settings.trusted_pem = spec.trusted_pem;
  settings.resume = spec.resume;
  auto context = tls::make_client_context(settings, error);
  if (context == nullptr) return nullptr;
  return std::shared_ptr<const TlsArm>(new TlsArm(spec, std::move(context)));
}

TlsWire::TlsWire(const TlsArm& arm, int fd, SSL_SESSION* session)
    : ssl_(tls::make_client(arm.context(), arm.spec().server_name, fd)) {
  if (ssl_ != nullptr && session != nullptr) SSL_set_session(ssl_.get(), session);
}

TlsWire::Step TlsWire::handshake() {
  if (ssl_ == nullptr) {
    error_ = "no memory for TLS, or no such server name";
    return Step::kFailed;
  }
  ERR_clear_error();
  errno = 0;
  const int done = SSL_do_handshake(ssl_.get());
  if (done == 1) return Step::kDone;
  const int system_error = errno;
  switch (SSL_get_error(ssl_.get(), done)) {
    case SSL_ERROR_WANT_READ:
      return Step::kNeedRead;
    case SSL_ERROR_WANT_WRITE:
      return Step::kNeedWrite;
    case SSL_ERROR_SYSCALL:
      error_ = system_error != 0 ? std::strerror(system_error) : "ended by the server";
      break;
    default:
      error_ = tls::handshake_error(ssl_.get());
  }
  ERR_clear_error();
  error_ = "TLS handshake: " + error_;
  return Step::kFailed;
}

ssize_t TlsWire::failure(int returned) {
  const int system_error = errno;
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      errno = EAGAIN;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      errno = system_error != 0 ? system_error : EPROTO;
      return -1;
    default:
      error_ = "TLS: " + tls::take_error();
      errno = EPROTO;
      return -1;
  }
}

ssize_t TlsWire::send(std::string_view bytes) {
  std::size_t sent = 0;
  ERR_clear_error();
  const int done = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent);
  if (done == 1) return static_cast<ssize_t>(sent);
  if (failure(done) == 0) errno = EPIPE;
  return -1;
}

ssize_t TlsWire::receive(std::span<char> buffer) {
  std::size_t taken = 0;
  do {
    std::size_t got = 0;
    ERR_clear_error();
    const int done = SSL_read_ex(ssl_.get(), buffer.data() + taken, buffer.size() - taken, &got);
    if (done != 1) {
      // A fault behind good bytes is met again by the next call.
      const ssize_t failed = failure(done);
      return taken != 0 ? static_cast<ssize_t>(taken) : failed;
    }
    taken += got;
  } while (taken < buffer.size() && SSL_has_pending(ssl_.get()) == 1);
  return static_cast<ssize_t>(taken);
}

tls::SessionPtr TlsWire::take_session() {
  if (ssl_ == nullptr || SSL_is_init_finished(ssl_.get()) != 1) return nullptr;
  SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  tls::SessionPtr session(SSL_get1_session(ssl_.get()));
  if (session == nullptr || SSL_SESSION_is_resumable(session.get()) != 1) return nullptr;
  return session;
}

}  // namespace hotlap::load
