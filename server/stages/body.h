// Stage `body`: how the bytes of a streamed file reach the socket. No state. A variant only says
// what to do next; the driver does it, by readiness or by completion.
#pragma once

#include "server/stages/variant.h"

namespace hotlap::server {

struct FileBody {
  int fd = -1;
  std::uint64_t offset = 0;
  std::uint64_t remaining = 0;
};

struct BodyChunk {
  enum class Kind : std::uint8_t {
    kBytes,     // write `data`, which lies in scratch
    kSendFile,  // have the kernel send up to `size` bytes from file.fd at file.offset
    kFailed,    // the file could not be read: the connection ends
  } kind;
  const char* data;
  std::size_t size;
};

struct BodyStage {
  VariantInfo info;
  // The next part of a file with remaining > 0. The caller advances offset and remaining.
  BodyChunk (*next)(const FileBody& file, char* scratch, std::size_t scratch_bytes);
};

}  // namespace hotlap::server
