// A raw client: sends given bytes in given pieces on many connections at once, and keeps what comes
// back. Before the next pieces go out, a ping on a connection of its own is answered, so that the
// server has very probably read the pieces before: splits are real without sleeping. Bounded in
// time; costs about 0.1 ms a connection. Sends only to where it is told.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/conformance/channel.h"

namespace hotlap::conformance {

struct Script {
  std::vector<std::string_view> pieces;
  std::vector<bool> heads;    // the Nth reply on the wire has no body
  size_t replies = 0;         // how many are to come before the probe
  bool probe = true;          // then ask for /ping with `Connection: close`: is it still served?
  bool half_close = false;    // shut the sending side after the last piece; no probe then
  bool read_to_close = true;  // else done once the replies are there
};

struct Outcome {
  std::string received;  // everything, the probe's reply included
  bool closed = false;   // the server closed in order
  bool reset = false;    // it reset the connection
  std::string error;     // could not connect, or out of time
  bool unsent = false;   // the fault is ours: no socket could be opened
};

struct ExchangeLimits {
  std::chrono::milliseconds stall = std::chrono::seconds(5);  // no progress on any connection
  size_t connections = 128;                                   // at once
  int max_stalls = 3;                                         // then the rest is not tried
};

// One outcome for each script, in order.
std::vector<Outcome> run_exchange(const Endpoint& endpoint, std::span<const Script> scripts,
                                  const ExchangeLimits& limits = {});

// The bytes cut at the given points (ascending).
std::vector<std::string_view> cut_at(std::string_view bytes, std::span<const size_t> points);

}  // namespace hotlap::conformance
