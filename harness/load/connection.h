// One connection of an arm: its socket, which request is on it, and the reply as far as it has
// come. About 300 bytes; a line of a head or chunk that is not whole yet is the only thing it
// buffers.
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

namespace hotlap::load {

// What one connection has learned for itself, where replies differ by connection.
struct OwnReplies {
  explicit OwnReplies(std::size_t requests) : memos(requests), bodies(requests) {}
  std::vector<ReplyMemo> memos;
  std::vector<ExpectedBody> bodies;
};

struct Connection {
  enum class State : std::uint8_t { kClosed, kConnecting, kIdle, kSending, kAwaiting };
  enum class Health : std::uint8_t {
    kSound,   // kClosed, if so, because the last reply said so: the next request reconnects
    kLapsed,  // the server ended it while nothing was asked
    kDead,    // it failed
  };

  bool in_flight() const { return requested; }

  int number = 0;  // within the arm, for messages
  State state = State::kClosed;
  Health health = Health::kSound;
  bool requested = false;    // a request was started and is in no class yet
  bool partial = false;      // some of the reply has been read
  bool wants_write = false;  // registered for writability
  std::size_t turn = 0;      // which request is on it, or comes next
  std::size_t sent = 0;      // bytes of that request
  std::int64_t start_ns = 0;
  std::int64_t revive_ns = 0;  // when dead: not to be opened anew before
  std::int64_t reply_bytes = 0;
  Fd socket;
  ReplyReader reader;
  BodyComparison comparison;
  std::unique_ptr<OwnReplies> own;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_CONNECTION_H_
