// Stage `transport`: what lies between the machine's bytes and the socket. State: one a connection,
// and what all connections of a server share. Hooks that a transport does not need are null.
#pragma once

#include "server/stages/io.h"
#include "server/stages/variant.h"

namespace hotlap::server {

// What a transport that encrypts is told at start.
struct TransportSettings {
  std::string certificate_file;      // PEM, its chain after it; without one it makes its own
  std::string key_file;              // PEM
  std::string certificate_out_file;  // where the certificate is written, PEM, for clients to trust

  bool empty() const {
    return certificate_file.empty() && key_file.empty() && certificate_out_file.empty();
  }
};

struct TransportStage {
  VariantInfo info;
  // The bytes given are the bytes on the wire: a driver may use the descriptor itself
  // (io_uring, sendfile, MSG_PEEK).
  bool direct;
  // What the connections of one server share, for any thread to read; null and an error on failure.
  void* (*start)(const TransportSettings& settings, std::string& error);
  void (*stop)(void* server);
  bool (*open)(void* state, void* server, int fd);
  void (*close)(void* state);
  // kDone (bytes 0) when it may speak.
  IoResult (*handshake)(void* state, int fd);
  IoResult (*read)(void* state, int fd, const iovec* segments, int count);
  // It holds bytes that were taken off the descriptor and not read: no readiness announces them.
  // They may come to nothing until more arrives.
  bool (*pending)(const void* state);
  IoResult (*write)(void* state, int fd, const iovec* segments, int count);
  // Tells the peer that nothing more will be written, in its own words; kDone, kFailed or a need.
  // The caller then shuts that side of the socket; reads go on.
  IoResult (*end)(void* state, int fd);
};

}  // namespace hotlap::server
