// TCP as it is. recv and send for one segment, the message forms for more; never a SIGPIPE.
#include <sys/socket.h>

#include <cerrno>

#include "server/stages/transport.h"

namespace hotlap::variants {
namespace {

using namespace server;

bool open(void*, void*, int) { return true; }
void close(void*) {}

IoResult failure(IoStatus when_blocked) {
  return {errno == EAGAIN || errno == EWOULDBLOCK ? when_blocked : IoStatus::kFailed};
}

IoResult read(void*, int fd, const iovec* segments, int count) {
  ssize_t got;
  do {
    got = count == 1 ? recv(fd, segments->iov_base, segments->iov_len, 0)
                     : readv(fd, segments, count);
  } while (got < 0 && errno == EINTR);
  if (got > 0) return {IoStatus::kDone, static_cast<std::size_t>(got)};
  if (got == 0) return {IoStatus::kEnd};
  return failure(IoStatus::kNeedRead);
}

IoResult write(void*, int fd, const iovec* segments, int count) {
  ssize_t put;
  do {
    if (count == 1) {
      put = send(fd, segments->iov_base, segments->iov_len, MSG_NOSIGNAL);
    } else {
      msghdr message{};
      message.msg_iov = const_cast<iovec*>(segments);
      message.msg_iovlen = static_cast<std::size_t>(count);
      put = sendmsg(fd, &message, MSG_NOSIGNAL);
    }
  } while (put < 0 && errno == EINTR);
  if (put >= 0) return {IoStatus::kDone, static_cast<std::size_t>(put)};
  return failure(IoStatus::kNeedWrite);
}

}  // namespace

extern constinit const TransportStage transport_plain = {
    .info = {.name = "plain",
             .summary = "TCP without encryption",
             .costs = "1 syscall a read or write, no copies of its own"},
    .direct = true,
    .start = nullptr,
    .stop = nullptr,
    .open = open,
    .close = close,
    .handshake = nullptr,
    .read = read,
    .pending = nullptr,
    .write = write,
    .end = nullptr,
};

}  // namespace hotlap::variants
