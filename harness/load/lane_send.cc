// Requests on their way out: one send each, or with pipelining one for all that a connection starts
// at a time.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "harness/load/lane.h"

namespace hotlap::load {

void Lane::start_next(Connection& connection, std::int64_t now) {
  start(connection, now, now, next_number_);
  next_number_ += static_cast<std::uint64_t>(share_.stride);
}

void Lane::start(Connection& connection, std::int64_t intended, std::int64_t now,
                 std::uint64_t number) {
  ++in_flight_;
  if (const ReplayLog* const replay = arm_.spec.replay.get(); replay != nullptr) {
    connection.flights.push({intended, now, replay->expectation(replay->kind(number)), number});
  } else {
    connection.flights.push({intended, now, arm_.turns[connection.turn], number});
    if (++connection.turn == arm_.turns.size()) connection.turn = 0;
  }
  if (connection.unsent++ == 0) connection.sent = 0;
  if (connection.state == State::kClosed) {
    if (const int error = connect(connection); error != 0) {
      fail(connection, connect_outcome(error), now, connect_fault(error));
      return;
    }
  }
  // What is under way takes it along.
  if (connection.state == State::kConnecting || connection.state == State::kSending) return;
  if (arm_.spec.pipeline == 1) return send_rest(connection);
  if (connection.send_queued) return;
  connection.send_queued = true;
  to_send_.push_back(&connection);
}

void Lane::flush_sends() {
  for (Connection* connection : to_send_) {
    connection->send_queued = false;
    const bool open = connection->state == State::kIdle || connection->state == State::kAwaiting;
    if (open && connection->unsent > 0) send_rest(*connection);
  }
  to_send_.clear();
}

void Lane::send_rest(Connection& connection) {
  while (connection.unsent > 0) {
    if (send_some(connection)) continue;
    connection.state = State::kSending;
    if (!connection.wants_write) watch(connection, EPOLL_CTL_MOD, true);
    return;
  }
  connection.state = State::kAwaiting;
  if (connection.wants_write) watch(connection, EPOLL_CTL_MOD, false);
}

// One send of what is not sent yet; false when the socket takes no more for now.
bool Lane::send_some(Connection& connection) {
  constexpr std::size_t kMostPieces = 64;
  std::array<iovec, kMostPieces> pieces;
  const std::size_t most = connection.tls != nullptr ? 1 : kMostPieces;
  std::size_t count = std::min(connection.unsent, most);
  const std::size_t first = connection.flights.size() - connection.unsent;
  std::size_t skip = connection.sent;
  wires_.begin();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view wire = wires_.of(connection.flights[first + i]);
    if (wire.empty()) {  // no room to write more of them side by side
      count = i;
      break;
    }
    pieces[i] = {const_cast<char*>(wire.data()) + skip, wire.size() - skip};
    skip = 0;
  }
  ssize_t size = 0;
  if (count == 1) {
    size = send(connection, {static_cast<const char*>(pieces[0].iov_base), pieces[0].iov_len});
  } else {
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    size = ::sendmsg(connection.socket.get(), &message, MSG_NOSIGNAL);
  }
  if (size < 0 && errno == EAGAIN) return false;
  if (size < 0) {
    // The server has gone; a reply that it sent before may still be there to read, and epoll
    // reports the end in any case.
    connection.unsent = 0;
    connection.cut_off = true;
    return true;
  }
  auto left = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < count && left >= pieces[i].iov_len; ++i) {
    left -= pieces[i].iov_len;
    --connection.unsent;
    connection.sent = 0;
  }
  connection.sent += left;
  return true;
}

}  // namespace hotlap::load
