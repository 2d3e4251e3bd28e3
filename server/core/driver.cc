// One recv, one write a request in the ordinary case: after a reply it does not try to read what
// cannot be there yet.
#include "server/core/driver.h"

#include <sys/socket.h>

#include "server/core/service.h"

namespace hotlap::server {
namespace {

std::size_t bytes_of(const iovec* segments, int count) {
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += segments[i].iov_len;
  return bytes;
}

// kInterestNone when the read went through, else what to wait for. `emptied` tells whether nothing
// was left: the last attempt found nothing, or less than it had room for. (A transport with bytes
// of its own may be short for other reasons.)
std::uint32_t read_event(const Pipeline& pipeline, ThreadContext& thread, Connection& connection,
                         bool& emptied) {
  ReceiveStep step{};
  bool first = true;
  std::size_t room = 0;
  do {
    iovec segments[kMaxReadSegments];
    const int count = connection.read_segments(thread, segments, kMaxReadSegments);
    if (count == 0) {
      connection.complete_read(thread, {IoStatus::kFailed}, false);
      return kInterestNone;
    }
    room = bytes_of(segments, count);
    step = pipeline.receive->step(connection.receive_state(), *pipeline.transport.get(),
                                  connection.transport_state(), connection.fd(), segments, count,
                                  first);
    connection.complete_read(thread, step.io, step.again);
    first = false;
  } while (step.again);
  emptied = step.io.status == IoStatus::kDone && step.io.bytes < room && pipeline.transport->direct;
  if (step.io.status == IoStatus::kNeedWrite) return kWritable;
  return step.io.status == IoStatus::kNeedRead ? kReadable : kInterestNone;
}

// The same for a write.
std::uint32_t write_event(const Pipeline& pipeline, ThreadContext& thread, Connection& connection) {
  const std::span<const iovec> segments = connection.write_segments(thread);
  if (segments.empty()) {
    connection.complete_write(thread, {IoStatus::kFailed});
    return kInterestNone;
  }
  const IoResult result =
      pipeline.transport->write(connection.transport_state(), connection.fd(), segments.data(),
                                static_cast<int>(segments.size()));
  if (result.status == IoStatus::kNeedWrite) return kWritable;
  if (result.status == IoStatus::kNeedRead) return kReadable;
  connection.complete_write(thread, result);
  return kInterestNone;
}

}  // namespace

std::uint32_t drive(const Service& service, ThreadContext& thread, const Ready& ready) {
  const Pipeline& pipeline = service.pipeline();
  Connection& connection = *ready.connection;
  if (ready.events == kInterestNone) connection.time_out(thread);
  bool may_read = (ready.events & kReadable) != 0;
  std::uint32_t ask_again = 0;
  for (;;) {
    std::uint32_t wait_for = kInterestNone;
    bool emptied = false;
    switch (connection.want()) {
      case Connection::Want::kRead:
        if (!may_read) {
          if (service.draining() && connection.idle()) return kInterestNone;
          return kReadable | ask_again;
        }
        may_read = false;
        wait_for = read_event(pipeline, thread, connection, emptied);
        if (pipeline.readiness->edge && wait_for == kInterestNone &&
            (!emptied || (ready.events & kPeerEnded) != 0)) {
          ask_again = kAskAgain;
        }
        if (wait_for == kReadable) continue;
        break;
      case Connection::Want::kWrite:
        wait_for = write_event(pipeline, thread, connection);
        break;
      case Connection::Want::kShutdown:
        shutdown(connection.fd(), SHUT_WR);
        connection.complete_shutdown(thread);
        break;
      case Connection::Want::kClose:
        return kInterestNone;
    }
    if (wait_for != kInterestNone) return wait_for;
  }
}

}  // namespace hotlap::server
