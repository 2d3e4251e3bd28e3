// A file goes from the page cache to the socket within the kernel. Costs one syscall for all that
// the socket's buffer takes, and no copy to or from our memory; a file of a few bytes is dearer
// than `copy`, as the head leaves in a segment of its own. The bytes on the wire must be those of
// the file: not under TLS.
#include <algorithm>

#include "server/pipeline.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::uint64_t kMaxPartBytes = 1u << 30;

BodyChunk next(const FileBody& file, char*, std::size_t) {
  return {BodyChunk::Kind::kSendFile, nullptr,
          static_cast<std::size_t>(std::min(file.remaining, kMaxPartBytes))};
}

const char* valid_with(const Pipeline& pipeline) {
  return pipeline.transport->direct
             ? nullptr
             : "the kernel sends a file as it is, which this transport does not allow; use "
               "body=copy";
}

}  // namespace

extern constinit const BodyStage body_sendfile = {
    .info = {.name = "sendfile",
             .summary = "files sent by the kernel, straight from its page cache",
             .costs = "1 syscall for all that the socket takes, no copy of ours",
             .valid_with = valid_with},
    .next = next,
};

}  // namespace hotlap::variants
