// Finds the end of a request head, strictly in byte order and never looking at a byte twice, so
// that the answer does not depend on how the bytes were split. Costs one pass over the head.
#pragma once

#include <cstddef>
#include <string_view>

#include "server/http/head.h"

namespace hotlap::server {

struct HeadLimits {
  std::size_t head_bytes = 16 * 1024;  // a skipped empty line apart
  std::size_t headers = 100;
  std::size_t target_bytes = 8192;
};

class HeadScanner {
 public:
  explicit HeadScanner(const HeadLimits& limits) : limits_(limits) {}

  void reset();  // for the next request

  enum class State { kMore, kComplete, kRefused };
  // Takes the next bytes of the head. kMore: all were taken. kComplete: the head ends within
  // `bytes`, see taken(). kRefused: status() says 400, 414 or 431, found at that very byte.
  State scan(std::string_view bytes);

  HttpStatus status() const { return status_; }
  // Bytes since reset(), an empty line before the request included.
  std::size_t taken() const { return taken_; }
  // Where the head starts within those (2 after a skipped empty line, else 0).
  std::size_t head_offset() const { return head_offset_; }
  // Length of the request line without its CRLF; good once complete.
  std::size_t line_length() const { return line_length_; }
  // False before the first byte of a head (a skipped empty line does not count).
  bool started() const { return taken_ > head_offset_; }

 private:
  State scan_within_limit(std::string_view bytes);
  bool end_line();
  bool check_target(std::string_view bytes);
  State refuse(HttpStatus status);

  HeadLimits limits_;
  std::size_t taken_ = 0;
  std::size_t head_offset_ = 0;
  std::size_t line_start_ = 0;
  std::size_t line_length_ = 0;
  std::size_t target_length_ = 0;
  std::size_t lines_ = 0;
  std::uint8_t spaces_ = 0;
  bool after_cr_ = false;
  HttpStatus status_ = kAccepted;
};

}  // namespace hotlap::server
