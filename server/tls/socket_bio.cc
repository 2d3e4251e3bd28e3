// The descriptor is kept in the BIO's data pointer. The end of the stream is told apart from a
// failure by a flag, as OpenSSL asks for it.
#include "server/tls/socket_bio.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

namespace hotlap::tls {
namespace {

int fd_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

bool blocked() { return errno == EAGAIN || errno == EWOULDBLOCK; }

int take(BIO* bio, char* bytes, std::size_t size, std::size_t* taken) {
  BIO_clear_retry_flags(bio);
  ssize_t got;
  do {
    got = recv(fd_of(bio), bytes, size, 0);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    *taken = static_cast<std::size_t>(got);
    return 1;
  }
  if (got == 0) {
    BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  } else if (blocked()) {
    BIO_set_retry_read(bio);
  }
  return 0;
}

int put(BIO* bio, const char* bytes, std::size_t size, std::size_t* written) {
  BIO_clear_retry_flags(bio);
  ssize_t sent;
  do {
    sent = send(fd_of(bio), bytes, size, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) {
    *written = static_cast<std::size_t>(sent);
    return 1;
  }
  if (blocked()) BIO_set_retry_write(bio);
  return 0;
}

long control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

}  // namespace

SocketBio::SocketBio() : method_(BIO_meth_new(BIO_TYPE_DESCRIPTOR | BIO_TYPE_SOURCE_SINK, "fd")) {
  if (method_ == nullptr) return;
  BIO_meth_set_read_ex(method_.get(), take);
  BIO_meth_set_write_ex(method_.get(), put);
  BIO_meth_set_ctrl(method_.get(), control);
}

bool SocketBio::attach(SSL* ssl, int fd) const {
  BIO* const bio = BIO_new(method_.get());
  if (bio == nullptr) return false;
  // OpenSSL keeps one pointer for us; the descriptor goes in its place.
  BIO_set_data(bio, reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
                        static_cast<std::intptr_t>(fd)));
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  return true;
}

}  // namespace hotlap::tls
