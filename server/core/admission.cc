// Costs one accept4 and what socket_options costs a connection, and nothing a request.
#include "server/core/admission.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "server/http/date.h"
#include "server/http/reply.h"

namespace hotlap::server {
namespace {

int open_spare() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

}  // namespace

Admission::~Admission() {
  if (spare_fd_ >= 0) close(spare_fd_);
}

std::string Admission::open() {
  spare_fd_ = open_spare();
  return spare_fd_ >= 0 ? std::string() : std::string("cannot open /dev/null: ") + strerror(errno);
}

Admission::Accepted Admission::accept(int flags, int& fd) {
  for (;;) {
    fd = accept4(listener_.fd(), nullptr, nullptr, flags | SOCK_CLOEXEC);
    if (fd >= 0) return Accepted::kOne;
    if (errno == EMFILE || errno == ENFILE) return make_room();
    if (errno != EINTR && errno != ECONNABORTED) return Accepted::kNothing;
  }
}

Admission::Accepted Admission::make_room() {
  if (spare_fd_ >= 0) close(spare_fd_);
  const int fd = accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  const bool none_waits = fd < 0 && errno != EMFILE && errno != ENFILE;
  if (fd >= 0) {
    turn_away(fd);
    close(fd);
  }
  spare_fd_ = open_spare();
  if (none_waits) return Accepted::kNothing;
  return fd >= 0 ? Accepted::kRefused : Accepted::kStuck;
}

ConnectionPtr Admission::admit(int fd, std::int64_t now_ms) {
  service_.counters.accepted.fetch_add(1, std::memory_order_relaxed);
  if (service_.open_connections.load(std::memory_order_relaxed) >= service_.limits().connections) {
    turn_away(fd);
    close(fd);
    return nullptr;
  }
  service_.pipeline().socket_options->apply_accepted(fd);
  ConnectionPtr connection = Connection::create(service_, fd, now_ms);
  if (connection == nullptr) service_.counters.refused.fetch_add(1, std::memory_order_relaxed);
  return connection;
}

void Admission::turn_away(int fd) {
  service_.counters.refused.fetch_add(1, std::memory_order_relaxed);
  if (!service_.pipeline().transport->direct) return;  // to be told, it would first shake hands
  char date[29];
  format_http_date(std::time(nullptr), date);
  ReplyHead head;
  head.status = 503;
  head.date = date;
  head.connection = ConnectionToken::kClose;
  char text[512];
  const std::size_t size = write_reply_head(head, text);
  [[maybe_unused]] const ssize_t put = send(fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace hotlap::server
