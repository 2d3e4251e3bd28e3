// Stage `read_buffer`: the memory that received bytes lie in, a queue of bytes handed out as
// segments. State: one a connection. Pointers got from unread() stay good until the next prepare().
#pragma once

#include <sys/uio.h>

#include "server/stages/variant.h"

namespace hotlap::server {

inline constexpr int kMaxReadSegments = 8;

inline std::string_view text_of(const iovec& segment) {
  return {static_cast<const char*>(segment.iov_base), segment.iov_len};
}

struct ReadBufferStage {
  VariantInfo info;
  void (*init)(void* state);
  void (*destroy)(void* state);
  // Space to read into: fills at most `capacity` segments, returns how many (0: it refuses to grow
  // further, and the connection ends). May move what is unread, whole.
  int (*prepare)(void* state, iovec* segments, int capacity);
  // `bytes` were written into the space of the last prepare(), in order.
  void (*commit)(void* state, std::size_t bytes);
  // Bytes committed and not consumed, oldest first, in at most `capacity` segments, skipping the
  // first `skip` of them. 0 when there are none.
  int (*unread)(const void* state, std::size_t skip, iovec* segments, int capacity);
  void (*consume)(void* state, std::size_t bytes);  // at most what is unread
  std::size_t (*held_bytes)(const void* state);     // memory held now, for tests and limits
};

}  // namespace hotlap::server
