// One blocking client connection, for tests that must do things by hand: half a body, a reset, a
// slow reader. Everything is bounded in time; a handshake is over when the constructor returns.
#pragma once

#include <string>
#include <string_view>

#include "server/conformance/exchange.h"

namespace hotlap::conformance {

class Peer {
 public:
  // `receive_buffer_bytes` > 0 makes a small window.
  explicit Peer(const Endpoint& endpoint, int receive_buffer_bytes = 0);
  Peer(Peer&&) noexcept = default;
  Peer& operator=(Peer&&) = delete;

  Channel& channel() { return channel_; }
  bool connected() const { return connected_; }
  bool send(std::string_view bytes);
  bool send_urgent(char byte);  // out of band: no part of the stream
  void end_sending();           // what follows is the end; replies are still read
  // As much as can be sent without blocking.
  size_t send_some(std::string_view bytes);
  // Exactly that many bytes, fewer where the connection ends or time is up.
  std::string read(size_t bytes, int timeout_ms = 5000);
  // Everything until the connection ends; ended() tells whether it did.
  std::string read_to_end(int timeout_ms = 5000);
  bool ended() const { return ended_; }
  bool was_reset() const { return was_reset_; }
  // One request, and its reply as text.
  std::string ask(std::string_view request, int timeout_ms = 5000);
  // True where nothing arrives and nothing ends within that time.
  bool stays_silent(int timeout_ms);
  void close();  // in order
  void reset();  // with RST

 private:
  bool receive(int timeout_ms);
  bool await(short events, int timeout_ms) const;

  Channel channel_;
  bool connected_ = false;
  std::string buffer_;
  bool ended_ = false, was_reset_ = false;
};

extern const std::string_view kPing;  // a plain GET /ping

}  // namespace hotlap::conformance
