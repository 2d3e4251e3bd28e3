// Every limit of the server, each a flag of hotlap-server. Times are wall time without progress.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hotlap::server {

struct Limits {
  std::size_t head_bytes = 16 * 1024;
  std::size_t headers = 100;
  std::size_t target_bytes = 8192;
  std::uint64_t body_bytes = 8ull * 1024 * 1024;
  std::uint64_t drained_body_bytes = 64 * 1024;  // of a body that nobody wants
  std::int64_t head_timeout_ms = 10'000;         // from the first byte of a head to its end
  std::int64_t io_timeout_ms = 120'000;          // a body or a reply that makes no progress
  std::int64_t idle_timeout_ms = 120'000;        // between requests
  std::int64_t linger_timeout_ms = 2'000;        // after a last reply, until the peer closes
  std::int64_t drain_timeout_ms = 5'000;         // after SIGTERM, for what is in flight
  std::size_t connections = 20'000;
};

}  // namespace hotlap::server
