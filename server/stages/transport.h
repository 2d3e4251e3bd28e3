// Stage `transport`: what lies between the machine's bytes and the socket. State: one a connection.
#pragma once

#include "server/stages/io.h"
#include "server/stages/variant.h"

namespace hotlap::server {

struct TransportStage {
  VariantInfo info;
  // The bytes given are the bytes on the wire: a driver may use the descriptor itself
  // (io_uring, sendfile, MSG_PEEK).
  bool direct;
  bool (*open)(void* state, int fd);
  void (*close)(void* state);
  // kDone (bytes 0) when it may speak; null when there is no handshake.
  IoResult (*handshake)(void* state, int fd);
  IoResult (*read)(void* state, int fd, const iovec* segments, int count);
  IoResult (*write)(void* state, int fd, const iovec* segments, int count);
};

}  // namespace hotlap::server
