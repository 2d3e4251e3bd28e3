// One recv, one write a request in the ordinary case: after a reply it does not try to read what
// cannot be there yet. sendfile has no flag against SIGPIPE: whoever serves ignores that signal.
#include "server/core/driver.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <cerrno>

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

// Has the kernel send what it takes now. It stops where the file ends: one that has become shorter
// than was announced ends the connection, since nothing else tells the peer.
IoResult send_file_part(int fd, const Connection::FilePart& part) {
  auto offset = static_cast<off_t>(part.offset);
  ssize_t put;
  do {
    put = part.bytes == 0 ? 0 : sendfile(fd, part.fd, &offset, part.bytes);
  } while (put < 0 && errno == EINTR);
  if (put > 0) return {IoStatus::kDone, static_cast<std::size_t>(put)};
  const bool blocked = put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  return {blocked ? IoStatus::kNeedWrite : IoStatus::kFailed};
}

// The same for a write.
std::uint32_t write_event(const Pipeline& pipeline, ThreadContext& thread, Connection& connection) {
  const std::span<const iovec> segments = connection.write_segments(thread);
  const IoResult result =
      segments.empty()
          ? send_file_part(connection.fd(), connection.file_part())
          : pipeline.transport->write(connection.transport_state(), connection.fd(),
                                      segments.data(), static_cast<int>(segments.size()));
  if (result.status == IoStatus::kNeedWrite) return kWritable;
  if (result.status == IoStatus::kNeedRead) return kReadable;
  connection.complete_write(thread, result);
  return kInterestNone;
}

// The same for a step of a handshake.
std::uint32_t handshake_event(const Pipeline& pipeline, ThreadContext& thread,
                              Connection& connection) {
  const IoResult result =
      pipeline.transport->handshake(connection.transport_state(), connection.fd());
  connection.complete_handshake(thread, result);
  if (result.status == IoStatus::kNeedWrite) return kWritable;
  return result.status == IoStatus::kNeedRead ? kReadable : kInterestNone;
}

// kWritable where the transport's last word is still to be taken, else our side is shut.
std::uint32_t shutdown_event(const Pipeline& pipeline, ThreadContext& thread,
                             Connection& connection) {
  if (pipeline.transport->end != nullptr &&
      pipeline.transport->end(connection.transport_state(), connection.fd()).status ==
          IoStatus::kNeedWrite) {
    return kWritable;
  }
  shutdown(connection.fd(), SHUT_WR);
  connection.complete_shutdown(thread);
  return kInterestNone;
}

bool holds_bytes(const Pipeline& pipeline, Connection& connection) {
  return pipeline.transport->pending != nullptr &&
         pipeline.transport->pending(connection.transport_state());
}

// Whether the event is one to read upon. A transport that must write before it can read again waits
// for that.
bool readable(const Pipeline& pipeline, const Ready& ready) {
  if ((ready.events & kReadable) != 0) return true;
  return ready.events != kInterestNone && !pipeline.transport->direct &&
         ready.connection->want() == Connection::Want::kRead;
}

}  // namespace

std::uint32_t drive(const Service& service, ThreadContext& thread, const Ready& ready) {
  const Pipeline& pipeline = service.pipeline();
  Connection& connection = *ready.connection;
  if (ready.events == kInterestNone) connection.time_out(thread);
  bool may_read = readable(pipeline, ready);
  std::uint32_t ask_again = 0;
  for (;;) {
    std::uint32_t wait_for = kInterestNone;
    bool emptied = false;
    switch (connection.want()) {
      case Connection::Want::kHandshake:
        wait_for = handshake_event(pipeline, thread, connection);
        if (wait_for == kReadable && service.draining()) return kInterestNone;
        may_read = true;  // what came with its last bytes may be taken in already
        break;
      case Connection::Want::kRead:
        if (!may_read) {
          if (service.draining() && connection.idle()) return kInterestNone;
          return kReadable | ask_again;
        }
        wait_for = read_event(pipeline, thread, connection, emptied);
        may_read = wait_for == kInterestNone && holds_bytes(pipeline, connection);
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
        wait_for = shutdown_event(pipeline, thread, connection);
        break;
      case Connection::Want::kClose:
        return kInterestNone;
    }
    if (wait_for != kInterestNone) return wait_for;
  }
}

}  // namespace hotlap::server
