// One recv, one write a request in the ordinary case: after a reply it does not try to read what
// cannot be there yet. sendfile has no flag against SIGPIPE: whoever serves ignores that signal.
#include "server/core/driver.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <cerrno>

#include "server/core/service.h"

namespace hotlap::server {
namespace {

// kInterestNone when the read went through, else what to wait for.
std::uint32_t read_event(const Pipeline& pipeline, ThreadContext& thread, Connection& connection) {
  ReceiveStep step{};
  bool first = true;
  do {
    iovec segments[kMaxReadSegments];
    const int count = connection.read_segments(thread, segments, kMaxReadSegments);
    if (count == 0) {
      connection.complete_read(thread, {IoStatus::kFailed}, false);
      return kInterestNone;
    }
    step = pipeline.receive->step(connection.receive_state(), *pipeline.transport.variant,
                                  connection.transport_state(), connection.fd(), segments, count,
                                  first);
    connection.complete_read(thread, step.io, step.again);
    first = false;
  } while (step.again);
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

}  // namespace

std::uint32_t drive(const Service& service, ThreadContext& thread, const Ready& ready) {
  const Pipeline& pipeline = service.pipeline();
  Connection& connection = *ready.connection;
  if (ready.events == kInterestNone) connection.time_out(thread);
  bool may_read = (ready.events & kReadable) != 0;
  for (;;) {
    std::uint32_t wait_for = kInterestNone;
    switch (connection.want()) {
      case Connection::Want::kRead:
        if (!may_read) {
          if (service.draining() && connection.idle()) return kInterestNone;
          return kReadable;
        }
        may_read = false;
        wait_for = read_event(pipeline, thread, connection);
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
