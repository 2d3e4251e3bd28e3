// Replies, and what becomes of their requests: with lane_send.cc the path that a load spends its
// time on.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "harness/load/lane.h"

namespace hotlap::load {
namespace {

// Of a buffer each.
constexpr int kMaxReadsAnEvent = 8;

constexpr std::int64_t kConnectBackoffNs = 10'000'000;

}  // namespace

void Lane::read_reply(Connection& connection, std::uint32_t events) {
  const bool half_closed = (events & EPOLLRDHUP) != 0;
  // A peer that sends without end must not keep the others, nor its own deadline, waiting: the next
  // event goes on where this one ends. But what TLS holds back no event announces.
  for (int reads = 0; reads < kMaxReadsAnEvent || connection.tls != nullptr; ++reads) {
    const ssize_t size = receive(connection);
    if (size <= 0) {
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size == 0) return on_end_of_stream(connection);
      return fail_to_read(connection, errno);
    }
    totals_.bytes_received += size;
    const auto taken = static_cast<std::size_t>(size);
    take_bytes(connection, {buffer_.data(), taken}, half_closed);
    // A full buffer means that more is there; else the next event tells.
    if (connection.flights.empty() || taken < buffer_.size()) return;
  }
}

// Hands what was read to the requests that it answers, one after the other.
void Lane::take_bytes(Connection& connection, std::string_view bytes, bool half_closed) {
  do {
    const bool last = connection.flights.size() == 1;
    // The end may have come with the replies: only behind the last of them does it tell.
    const bool ended = half_closed && last;
    if (!connection.partial) {
      ReplyMemo& known = memo(connection);
      if (last ? known.matches(bytes.data(), bytes.size()) : known.begins(bytes)) {
        bytes.remove_prefix(known.size());
        complete(connection, Outcome::kOk, known.keep_alive() && !ended);
        continue;
      }
    }
    read_slowly(connection, bytes, ended);
  } while (!bytes.empty() && !connection.flights.empty() && connection.state != State::kClosed);
}

ReplyMemo& Lane::memo(Connection& connection) {
  const std::size_t request = connection.request();
  return connection.own ? connection.own->memos[request] : memos_[request];
}

ExpectedBody& Lane::expected_body(Connection& connection) {
  const std::size_t request = connection.request();
  return arm_.requests[request].body_rule == BodyRule::kLearnedPerConnection
             ? connection.own->bodies[request]
             : arm_.bodies[request];
}

void Lane::begin_reply(Connection& connection) {
  const Request& request = arm_.requests[connection.request()];
  connection.partial = true;
  connection.reply_bytes = 0;
  connection.reader.begin(request.head);
  const bool any = request.body_rule == BodyRule::kAny;
  const Body* const expected = any ? nullptr : expected_body(connection).get();
  const bool gather = !any && expected == nullptr;
  connection.comparison.begin(expected, gather, gather && !request.expected_sha256.empty());
}

// The full parser, on the first flight's reply; takes what belongs to it off `bytes`.
void Lane::read_slowly(Connection& connection, std::string_view& bytes, bool half_closed) {
  const std::string_view read = bytes;
  const bool first = !connection.partial;
  if (first) begin_reply(connection);
  connection.reply_bytes += static_cast<std::int64_t>(bytes.size());
  while (true) {
    switch (connection.reader.next(bytes)) {
      case ReplyReader::Event::kMore:
        bytes = {};
        return;
      case ReplyReader::Event::kBody:
        connection.comparison.add(connection.reader.piece());
        break;
      case ReplyReader::Event::kBad:
        return fail(connection, Outcome::kProtocol, clock_.now_ns(), connection.reader.fault());
      case ReplyReader::Event::kDone: {
        if (!bytes.empty() && connection.flights.size() == 1) {
          return fail(connection, Outcome::kProtocol, clock_.now_ns(),
                      "bytes after the reply that nobody asked for");
        }
        const Outcome outcome = judge(connection);
        const bool keep = connection.reader.keep_alive();
        if (outcome == Outcome::kOk && first && memo(connection).worth_learning()) {
          memo(connection).learn(read.substr(0, read.size() - bytes.size()), keep);
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
  fail(connection, Outcome::kReset, clock_.now_ns(), why);
}

// The class of a whole reply.
Outcome Lane::judge(Connection& connection) {
  const Request& request = arm_.requests[connection.request()];
  const int status = connection.reader.status();
  if (request.expected_status != 0 && status != request.expected_status) {
    note_failure(connection, "status " + std::to_string(status) + " where " +
                                 std::to_string(request.expected_status) + " was expected");
    return Outcome::kUnexpectedStatus;
  }
  const std::string fault = fault_of_body(connection, request);
  if (fault.empty()) return Outcome::kOk;
  note_failure(connection, fault);
  return Outcome::kUnexpectedBody;
}

// Empty when it is as expected. What is learned from then on has been held against all that was
// asked of it.
std::string Lane::fault_of_body(Connection& connection, const Request& request) {
  BodyComparison& comparison = connection.comparison;
  constexpr const char* kOther = "a body other than the one expected";
  if (!comparison.gathering() && !comparison.equal()) return kOther;
  if (request.expected_length && comparison.length() != *request.expected_length) {
    return "a body of " + std::to_string(comparison.length()) + " bytes where " +
           std::to_string(*request.expected_length) + " were expected";
  }
  if (!comparison.gathering()) return "";
  if (!request.expected_sha256.empty() && comparison.sha256() != request.expected_sha256) {
    return "a body of another SHA-256 than the one expected";
  }
  const Body body = comparison.take_gathered();
  return *expected_body(connection).learn(body) == body ? "" : kOther;
}

// The first flight ends in a class.
void Lane::settle(Connection& connection, Outcome outcome, std::int64_t now) {
  const Flight& flight = connection.flights.front();
  const std::int64_t took_ns = now - flight.intended_ns;
  ++totals_.counts[outcome];
  totals_.response_ns += took_ns;
  totals_.last_reply_ns = now;
  if (outcome == Outcome::kOk) {
    times_.response.record(took_ns);
    if (pacer_) times_.service.record(now - flight.sent_ns);
  } else if (outcome != Outcome::kInFlight) {
    times_.failures.record(took_ns);
  }
  connection.flights.pop();
  connection.partial = false;
  --in_flight_;
}

void Lane::complete(Connection& connection, Outcome outcome, bool keep) {
  const std::int64_t now = clock_.now_ns();
  const bool whole = !connection.cut_off && connection.unsent < connection.flights.size();
  settle(connection, outcome, now);
  const bool stays = keep && whole && arm_.spec.keep_alive;
  if (pacer_) {
    free_.push({&connection, now});
  } else if (now < stop_ns_) {
    ready_.push_back({&connection, now});
  }
  if (!stays && !connection.flights.empty()) {
    return fail(connection, Outcome::kReset, now,
                "the server ended the connection with requests unanswered");
  }
  if (!stays) return drop(connection, Health::kSound);
  if (connection.flights.empty()) connection.state = State::kIdle;
}

// The first flight fails as `outcome`. Those behind it on the connection go with it: they have
// waited as long where it was time, and lose their connection else.
void Lane::fail(Connection& connection, Outcome outcome, std::int64_t now, std::string_view why) {
  note_failure(connection, why);
  const bool connecting = outcome == Outcome::kConnect || outcome == Outcome::kTls;
  const bool shared = outcome == Outcome::kTimeout || connecting;
  for (bool first = true; !connection.flights.empty(); first = false) {
    settle(connection, first || shared ? outcome : Outcome::kReset, now);
    if (pacer_) ++connection.parked;
  }
  drop(connection, Health::kDead);
  connection.revive_ns = connecting ? now + kConnectBackoffNs : now;
  if (stint_.revive && connection.revive_ns < timer_at_ns_) set_timer(connection.revive_ns);
}

void Lane::note_failure(const Connection& connection, std::string_view why) {
  if (!first_failure_.empty()) return;
  first_failure_ = arm_.spec.endpoint.text() + ", connection " + std::to_string(connection.number) +
                   ": " + std::string(why);
}

}  // namespace hotlap::load
