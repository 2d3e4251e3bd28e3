// What TLS changes in a lane: a connection is open once hands are shaken, and bytes go through it.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "harness/load/lane.h"

namespace hotlap::load {

// One attempt. 0 while it goes on and once it is done, which the state tells apart; EPROTO when it
// failed.
int Lane::shake_hands(Connection& connection) {
  const TlsWire::Step step = connection.tls->handshake();
  if (step == TlsWire::Step::kFailed) {
    tls_fault_ = connection.tls->error();
    return EPROTO;
  }
  if (step == TlsWire::Step::kDone) {
    ++totals_.tls_handshakes;
    totals_.tls_resumed += connection.tls->resumed() ? 1 : 0;
    totals_.tls_protocol = connection.tls->protocol();
    totals_.tls_cipher = connection.tls->cipher();
    ready_to_send(connection);
  }
  const bool writable = step == TlsWire::Step::kNeedWrite;
  if (connection.wants_write != writable) watch(connection, EPOLL_CTL_MOD, writable);
  return 0;
}

void Lane::begin_tls(Connection& connection) {
  connection.tls =
      std::make_unique<TlsWire>(*arm_.tls, connection.socket.get(), connection.session.get());
}

void Lane::end_tls(Connection& connection) {
  if (connection.tls == nullptr) return;
  if (arm_.tls->spec().resume) {
    if (tls::SessionPtr session = connection.tls->take_session()) {
      connection.session = std::move(session);
    }
  }
  connection.tls.reset();
}

ssize_t Lane::receive(Connection& connection) {
  if (connection.tls != nullptr) return connection.tls->receive(buffer_);
  return ::recv(connection.socket.get(), buffer_.data(), buffer_.size(), 0);
}

ssize_t Lane::send(Connection& connection, std::string_view bytes) {
  if (connection.tls != nullptr) return connection.tls->send(bytes);
  return ::send(connection.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// A failed recv's class and words.
void Lane::fail_to_read(Connection& connection, int error) {
  const bool tls = connection.tls != nullptr && error == EPROTO;
  fail(connection, tls ? Outcome::kTls : Outcome::kReset, clock_.now_ns(),
       tls ? connection.tls->error() : std::strerror(error));
}

Outcome Lane::connect_outcome(int error) const {
  return arm_.tls != nullptr && error == EPROTO ? Outcome::kTls : Outcome::kConnect;
}

std::string Lane::connect_fault(int error) const {
  return connect_outcome(error) == Outcome::kTls ? tls_fault_ : std::strerror(error);
}

}  // namespace hotlap::load
