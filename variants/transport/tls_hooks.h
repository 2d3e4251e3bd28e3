// What the TLS transports share: all hooks but start(), in whose sessions they differ.
#pragma once

#include <memory>

#include "server/tls/server_stream.h"

namespace hotlap::variants {

inline tls::ServerStream& stream_of(void* state) { return *static_cast<tls::ServerStream*>(state); }

inline void* start_tls(const server::TransportSettings& settings, tls::Resumption resumption,
                       std::string& error) {
  return tls::make_server_context(settings, resumption, error).release();
}

inline void stop_tls(void* server) {
  std::unique_ptr<tls::ServerContext>(static_cast<tls::ServerContext*>(server)).reset();
}

inline bool open_tls(void* state, void* server, int fd) {
  return tls::open_stream(stream_of(state), *static_cast<tls::ServerContext*>(server), fd);
}

inline void close_tls(void* state) { tls::close_stream(stream_of(state)); }

inline server::IoResult handshake_tls(void* state, int) {
  return tls::accept_stream(stream_of(state));
}

inline server::IoResult read_tls(void* state, int fd, const iovec* segments, int count) {
  return tls::read_stream(stream_of(state), fd, segments, count);
}

inline bool pending_tls(const void* state) {
  return tls::holds_bytes(*static_cast<const tls::ServerStream*>(state));
}

inline server::IoResult write_tls(void* state, int, const iovec* segments, int count) {
  return tls::write_stream(stream_of(state), segments, count);
}

inline server::IoResult end_tls(void* state, int) { return tls::end_stream(stream_of(state)); }

constexpr server::TransportStage tls_transport(
    const char* name, const char* summary, const char* costs,
    void* (*start)(const server::TransportSettings& settings, std::string& error)) {
  return {.info = {.name = name,
                   .summary = summary,
                   .costs = costs,
                   .state_size = sizeof(tls::ServerStream),
                   .state_align = alignof(tls::ServerStream)},
          .direct = false,
          .start = start,
          .stop = stop_tls,
          .open = open_tls,
          .close = close_tls,
          .handshake = handshake_tls,
          .read = read_tls,
          .pending = pending_tls,
          .write = write_tls,
          .end = end_tls};
}

}  // namespace hotlap::variants
