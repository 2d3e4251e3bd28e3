// How OpenSSL reaches a socket: recv and send without SIGPIPE, which OpenSSL's own way raises.
// Costs one syscall a read or write, and one small allocation a connection.
#pragma once

#include "server/tls/handles.h"

namespace hotlap::tls {

class SocketBio {
 public:
  SocketBio();

  bool valid() const { return method_ != nullptr; }
  // Makes `ssl` read from and write to fd, which stays the caller's. This object outlives `ssl`.
  bool attach(SSL* ssl, int fd) const;

 private:
  BioMethodPtr method_;
};

}  // namespace hotlap::tls
