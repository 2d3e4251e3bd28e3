// One connection of an arm: its socket, which requests are on it, and the first one's reply as far
// as it has come. About 300 bytes; a line of a head or chunk that is not whole yet is the only
// thing it buffers.
#ifndef HOTLAP_HARNESS_LOAD_CONNECTION_H_
#define HOTLAP_HARNESS_LOAD_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/load/expected_body.h"
#include "harness/load/reply_memo.h"
#include "harness/load/reply_reader.h"
#include "harness/load/socket.h"
#include "harness/load/tls_wire.h"

namespace hotlap::load {

// What one connection has learned for itself, where replies differ by connection.
struct OwnReplies {
  explicit OwnReplies(std::size_t requests) : memos(requests), bodies(requests) {}
  std::vector<ReplyMemo> memos;
  std::vector<ExpectedBody> bodies;
};

// A request that was started and is in no class yet.
struct Flight {
  std::int64_t intended_ns = 0;  // when it was to start; in the closed loop, when it did
  std::int64_t sent_ns = 0;      // just before it was sent, or connected for
  std::size_t request = 0;       // which of the arm's
  std::uint64_t number = 0;      // within the arm's stream: what its id or log entry follows from
};

// The requests in flight on one connection, oldest first; at most the pipelining depth.
class Flights {
 public:
  void set_depth(std::size_t depth) { slots_.resize(depth); }
  std::size_t depth() const { return slots_.size(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Flight& front() { return slots_[first_]; }
  const Flight& front() const { return slots_[first_]; }
  const Flight& operator[](std::size_t i) const { return slots_[at(i)]; }
  void push(const Flight& flight) { slots_[at(size_++)] = flight; }
  void pop() {
    first_ = at(1);
    --size_;
  }

 private:
  std::size_t at(std::size_t i) const {
    const std::size_t slot = first_ + i;
    return slot < slots_.size() ? slot : slot - slots_.size();
  }

  std::vector<Flight> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

struct Connection {
  enum class State : std::uint8_t { kClosed, kConnecting, kIdle, kSending, kAwaiting };
  enum class Health : std::uint8_t {
    kSound,   // kClosed, if so, because the last reply said so: the next request reconnects
    kLapsed,  // the server ended it while nothing was asked
    kDead,    // it failed
  };

  // The request that the bytes being read answer.
  std::size_t request() const { return flights.front().request; }

  int number = 0;  // within the arm, for messages
  State state = State::kClosed;
  Health health = Health::kSound;
  bool partial = false;         // some of the first flight's reply has been read
  bool wants_write = false;     // registered for writability
  bool send_queued = false;     // among those whose requests go out together
  bool cut_off = false;         // a send failed: what comes may still be read, nothing be sent
  std::size_t turn = 0;         // the arm's turn whose request comes next
  std::size_t unsent = 0;       // of the flights, the last so many are not wholly sent
  std::size_t sent = 0;         // bytes of the first of them
  std::size_t parked = 0;       // slots that wait for it to be opened anew (open loop)
  std::int64_t revive_ns = 0;   // when dead: not to be opened anew before
  std::int64_t connect_ns = 0;  // when its connecting began
  std::int64_t reply_bytes = 0;
  Flights flights;
  Fd socket;
  std::unique_ptr<TlsWire> tls;  // null in plain
  tls::SessionPtr session;       // to be offered when it is opened anew
  ReplyReader reader;
  BodyComparison comparison;
  std::unique_ptr<OwnReplies> own;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_CONNECTION_H_
