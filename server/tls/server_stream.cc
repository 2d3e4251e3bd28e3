// Every call into OpenSSL that can fail is judged by verdict(), with this thread's error queue
// emptied before.
#include "server/tls/server_stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace hotlap::tls {
namespace {

using server::IoResult;
using server::IoStatus;

IoResult verdict(ServerStream& stream, int returned) {
  switch (SSL_get_error(stream.ssl, returned)) {
    case SSL_ERROR_WANT_READ:
      return {IoStatus::kNeedRead};
    case SSL_ERROR_WANT_WRITE:
      return {IoStatus::kNeedWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {IoStatus::kEnd};
    default:
      ERR_clear_error();
      stream.failed = true;
      return {IoStatus::kFailed};
  }
}

// Record after record until all is written, or no more is taken; `*written` grows.
IoResult put(ServerStream& stream, const char* bytes, std::size_t size, std::size_t* written) {
  while (size != 0) {
    std::size_t sent = 0;
    ERR_clear_error();
    const int done = SSL_write_ex(stream.ssl, bytes, size, &sent);
    if (done != 1) {
      const IoResult result = verdict(stream, done);
      stream.blocked = result.status == IoStatus::kNeedWrite;
      return result;
    }
    stream.blocked = false;
    *written += sent;
    bytes += sent;
    size -= sent;
  }
  return {IoStatus::kDone};
}

// What is read after our end was told is of no interest: no need to decrypt it.
IoResult read_past(int fd, const iovec& segment) {
  ssize_t got;
  do {
    got = recv(fd, segment.iov_base, segment.iov_len, 0);
  } while (got < 0 && errno == EINTR);
  if (got > 0) return {IoStatus::kDone, static_cast<std::size_t>(got)};
  if (got == 0) return {IoStatus::kEnd};
  return {errno == EAGAIN || errno == EWOULDBLOCK ? IoStatus::kNeedRead : IoStatus::kFailed};
}

}  // namespace

bool open_stream(ServerStream& stream, const ServerContext& server, int fd) {
  stream.ssl = SSL_new(server.context.get());
  if (stream.ssl == nullptr || !server.socket.attach(stream.ssl, fd)) return false;
  SSL_set_accept_state(stream.ssl);
  return true;
}

void close_stream(ServerStream& stream) {
  // One try: a peer whose window is full does without.
  if (stream.ready && !stream.ended) end_stream(stream);
  SSL_free(stream.ssl);
  stream.ssl = nullptr;
}

IoResult accept_stream(ServerStream& stream) {
  ERR_clear_error();
  const int done = SSL_do_handshake(stream.ssl);
  if (done != 1) return verdict(stream, done);
  stream.ready = true;
  return {IoStatus::kDone};
}

bool holds_bytes(const ServerStream& stream) {
  return !stream.ended && SSL_has_pending(stream.ssl) == 1;
}

IoResult read_stream(ServerStream& stream, int fd, const iovec* segments, int count) {
  if (stream.ended) return read_past(fd, *segments);
  std::size_t taken = 0;
  for (int i = 0; i < count; ++i) {
    std::size_t got = 0;
    ERR_clear_error();
    const int done = SSL_read_ex(stream.ssl, segments[i].iov_base, segments[i].iov_len, &got);
    if (done != 1) return taken != 0 ? IoResult{IoStatus::kDone, taken} : verdict(stream, done);
    taken += got;
    // On with what is decrypted already, not with another syscall.
    if (got < segments[i].iov_len || SSL_pending(stream.ssl) == 0) break;
  }
  return {IoStatus::kDone, taken};
}

IoResult write_stream(ServerStream& stream, const iovec* segments, int count) {
  // Head and body share a record: a copy of a few bytes is cheaper than a second record and send.
  char record[SSL3_RT_MAX_PLAIN_LENGTH];
  std::size_t written = 0;
  std::size_t gathered = 0;
  IoResult result{IoStatus::kDone};
  if (count > 1) {
    for (int i = 0; i < count; ++i) {
      const std::size_t size = std::min(segments[i].iov_len, sizeof record - gathered);
      std::memcpy(record + gathered, segments[i].iov_base, size);
      gathered += size;
    }
    result = put(stream, record, gathered, &written);
  }
  std::size_t before = 0;  // bytes of the segments up to this one
  for (int i = 0; i < count && result.status == IoStatus::kDone; ++i) {
    const std::size_t size = segments[i].iov_len;
    const std::size_t skipped = std::min(size, gathered - std::min(gathered, before));
    result = put(stream, static_cast<const char*>(segments[i].iov_base) + skipped, size - skipped,
                 &written);
    before += size;
  }
  if (written != 0) return {IoStatus::kDone, written};
  return result;
}

IoResult end_stream(ServerStream& stream) {
  if (stream.failed || !stream.ready) {
    stream.ended = true;
    return {IoStatus::kDone};
  }
  if (stream.blocked) return {IoStatus::kFailed};  // a record was cut off: there is no clean end
  ERR_clear_error();
  const int done = SSL_shutdown(stream.ssl);
  if (done < 0) {
    const IoResult result = verdict(stream, done);
    if (result.status == IoStatus::kNeedWrite) return result;
  }
  stream.ended = true;
  return {IoStatus::kDone};
}

}  // namespace hotlap::tls
