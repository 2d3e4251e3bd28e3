// One request and its reply: the path that a load spends its time on.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "harness/load/clock.h"
#include "harness/load/lane.h"

namespace hotlap::load {
namespace {

// Of a buffer each.
constexpr int kMaxReadsAnEvent = 8;

constexpr std::int64_t kConnectBackoffNs = 10'000'000;

}  // namespace

void Lane::start(Connection& connection, std::int64_t now) {
  ++totals_.counts.started;
  ++in_flight_;
  connection.requested = true;
  connection.start_ns = now;
  connection.sent = 0;
  connection.reply_bytes = 0;
  if (connection.state == State::kClosed) {
    if (const int error = connect(connection); error != 0) {
      fail(connection, Outcome::kConnect, now, std::strerror(error));
      return;
    }
    if (connection.state == State::kConnecting) return;
  }
  send_rest(connection);
}

void Lane::send_rest(Connection& connection) {
  const std::string& wire = arm_.requests[connection.turn].wire;
  const std::size_t rest = wire.size() - connection.sent;
  const ssize_t size =
      ::send(connection.socket.get(), wire.data() + connection.sent, rest, MSG_NOSIGNAL);
  if (size == static_cast<ssize_t>(rest)) {
    connection.sent = wire.size();
    connection.state = State::kAwaiting;
    if (connection.wants_write) watch(connection, EPOLL_CTL_MOD, false);
    return;
  }
  if (size < 0 && errno != EAGAIN) {
    // The server has gone; a reply that it sent before may still be there to read, and epoll
    // reports the end in any case.
    connection.state = State::kAwaiting;
    if (connection.wants_write) watch(connection, EPOLL_CTL_MOD, false);
    return;
  }
  if (size > 0) connection.sent += static_cast<std::size_t>(size);
  connection.state = State::kSending;
  if (!connection.wants_write) watch(connection, EPOLL_CTL_MOD, true);
}

void Lane::read_reply(Connection& connection, std::uint32_t events) {
  const bool half_closed = (events & EPOLLRDHUP) != 0;
  // A peer that sends without end must not keep the others, nor its own deadline, waiting: the next
  // event goes on where this one ends.
  for (int reads = 0; reads < kMaxReadsAnEvent; ++reads) {
    const ssize_t size = ::recv(connection.socket.get(), buffer_.data(), buffer_.size(), 0);
    if (size <= 0) {
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size == 0) return on_end_of_stream(connection);
      return fail(connection, Outcome::kReset, monotonic_ns(), std::strerror(errno));
    }
    totals_.bytes_received += size;
    const auto taken = static_cast<std::size_t>(size);
    if (!connection.partial) {
      ReplyMemo& memo =
          connection.own ? connection.own->memos[connection.turn] : memos_[connection.turn];
      if (memo.matches(buffer_.data(), taken)) {
        return complete(connection, Outcome::kOk, memo.keep_alive() && !half_closed);
      }
    }
    read_slowly(connection, {buffer_.data(), taken}, half_closed);
    // A full buffer means that more is there; else the next event tells.
    if (!connection.partial || taken < buffer_.size()) return;
  }
}

void Lane::begin_reply(Connection& connection) {
  const Request& request = arm_.requests[connection.turn];
  connection.partial = true;
  connection.reader.begin(request.head);
  ExpectedBody& shared = request.body_rule == BodyRule::kLearnedPerConnection
                             ? connection.own->bodies[connection.turn]
                             : arm_.bodies[connection.turn];
  const bool any = request.body_rule == BodyRule::kAny;
  const Body* const expected = any ? nullptr : shared.get();
  connection.comparison.begin(expected, !any && expected == nullptr);
}

void Lane::read_slowly(Connection& connection, std::string_view bytes, bool half_closed) {
  const std::string_view read = bytes;
  const bool first = !connection.partial;
  if (first) begin_reply(connection);
  connection.reply_bytes += static_cast<std::int64_t>(bytes.size());
  while (true) {
    switch (connection.reader.next(bytes)) {
      case ReplyReader::Event::kMore:
        return;
      case ReplyReader::Event::kBody:
        connection.comparison.add(connection.reader.piece());
        break;
      case ReplyReader::Event::kBad:
        return fail(connection, Outcome::kProtocol, monotonic_ns(), connection.reader.fault());
      case ReplyReader::Event::kDone: {
        if (!bytes.empty()) {
          return fail(connection, Outcome::kProtocol, monotonic_ns(),
                      "bytes after the reply that nobody asked for");
        }
        const Outcome outcome = judge(connection);
        const bool keep = connection.reader.keep_alive();
        if (outcome == Outcome::kOk && first) {
          ReplyMemo& memo =
              connection.own ? connection.own->memos[connection.turn] : memos_[connection.turn];
          if (memo.worth_learning()) memo.learn(read, keep);
        }
        return complete(connection, outcome, keep && !half_closed);
      }
    }
  }
}

void Lane::on_end_of_stream(Connection& connection) {
  if (connection.partial && connection.reader.finish() == ReplyReader::Event::kDone) {
    return complete(connection, judge(connection), false);
  }
  const std::string why = connection.partial
                              ? "closed by the server after " +
                                    std::to_string(connection.reply_bytes) + " bytes of a reply"
                              : "closed by the server before any byte of a reply";
  fail(connection, Outcome::kReset, monotonic_ns(), why);
}

// The class of a whole reply.
Outcome Lane::judge(Connection& connection) {
  const Request& request = arm_.requests[connection.turn];
  const int status = connection.reader.status();
  if (status != request.expected_status) {
    note_failure(connection, "status " + std::to_string(status) + " where " +
                                 std::to_string(request.expected_status) + " was expected");
    return Outcome::kUnexpectedStatus;
  }
  bool equal = connection.comparison.equal();
  if (connection.comparison.gathering()) {
    ExpectedBody& expected = request.body_rule == BodyRule::kLearnedPerConnection
                                 ? connection.own->bodies[connection.turn]
                                 : arm_.bodies[connection.turn];
    const Body body = connection.comparison.take_gathered();
    equal = *expected.learn(body) == body;
  }
  if (equal) return Outcome::kOk;
  note_failure(connection, "a body other than the one expected");
  return Outcome::kUnexpectedBody;
}

void Lane::settle(Connection& connection, Outcome outcome, std::int64_t now) {
  const std::int64_t took_ns = now - connection.start_ns;
  ++totals_.counts[outcome];
  totals_.response_ns += took_ns;
  totals_.last_reply_ns = now;
  if (outcome == Outcome::kOk) {
    latency_.record(took_ns);
  } else if (outcome != Outcome::kInFlight) {
    failures_.record(took_ns);
  }
  connection.requested = false;
  connection.partial = false;
  --in_flight_;
  if (++connection.turn == arm_.requests.size()) connection.turn = 0;
}

void Lane::complete(Connection& connection, Outcome outcome, bool keep) {
  const std::int64_t now = monotonic_ns();
  const bool whole = connection.sent == arm_.requests[connection.turn].wire.size();
  settle(connection, outcome, now);
  if (keep && whole && arm_.spec.keep_alive) {
    connection.state = State::kIdle;
  } else {
    drop(connection, Health::kSound);
  }
  if (may_start(now)) {
    connection.start_ns = now;
    ready_.push_back(&connection);
  }
}

void Lane::fail(Connection& connection, Outcome outcome, std::int64_t now, std::string_view why) {
  note_failure(connection, why);
  if (connection.requested) settle(connection, outcome, now);
  drop(connection, Health::kDead);
  connection.revive_ns = outcome == Outcome::kConnect ? now + kConnectBackoffNs : now;
  if (stint_.revive && connection.revive_ns < timer_at_ns_) set_timer(connection.revive_ns);
}

void Lane::note_failure(const Connection& connection, std::string_view why) {
  if (!first_failure_.empty()) return;
  first_failure_ = arm_.spec.endpoint.text() + ", connection " + std::to_string(connection.number) +
                   ": " + std::string(why);
}

}  // namespace hotlap::load
