// A file is read into a buffer of the thread and written from there. Costs two syscalls and two
// copies a part; works over every transport.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "server/stages/body.h"

namespace hotlap::variants {
namespace {

using namespace server;

BodyChunk next(const FileBody& file, char* scratch, std::size_t scratch_bytes) {
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(scratch_bytes, file.remaining));
  ssize_t got;
  do {
    got = pread(file.fd, scratch, wanted, static_cast<off_t>(file.offset));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return {BodyChunk::Kind::kFailed, nullptr, 0};
  return {BodyChunk::Kind::kBytes, scratch, static_cast<std::size_t>(got)};
}

}  // namespace

extern constinit const BodyStage body_copy = {
    .info = {.name = "copy",
             .summary = "files read into memory and written from there",
             .costs = "2 syscalls and 2 copies a part of a file"},
    .next = next,
};

}  // namespace hotlap::variants
