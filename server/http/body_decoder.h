// Takes a request's body out of the bytes that follow its head, by Content-Length or chunked,
// incrementally and without I/O or copies: data is handed out as views of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/http/head.h"

namespace hotlap::server {

struct BodyLimits {
  std::uint64_t body_bytes = 8ull * 1024 * 1024;  // beyond: 413
  std::size_t extension_bytes = 16 * 1024;        // of all chunk lines together; beyond: 400
  std::size_t trailer_bytes = 16 * 1024;          // beyond: 431
  std::size_t trailers = 100;                     // beyond: 431
};

class BodyDecoder {
 public:
  void start_empty();
  void start_length(std::uint64_t content_length);
  void start_chunked(const BodyLimits& limits);

  enum class State : std::uint8_t { kMore, kDone, kRefused };
  struct Step {
    State state;
    std::size_t consumed;   // bytes of the input that are done with
    std::string_view data;  // body bytes among these, possibly none
  };
  // Takes as much of `input` as yields one span of data. Call again with the rest while kMore
  // and something was consumed. kRefused: status() says 400, 413 or 431.
  Step step(std::string_view input);

  bool done() const { return phase_ == Phase::kDone; }
  HttpStatus status() const { return status_; }
  std::uint64_t decoded_bytes() const { return decoded_; }

 private:
  enum class Phase : std::uint8_t {
    kLength,     // Content-Length: remaining_ bytes to come
    kSize,       // hex digits of a chunk's size
    kSizeSpace,  // blanks after them: an extension must follow
    kExtension,  // ignored up to CR
    kSizeLf,     // LF after a chunk line
    kData,       // remaining_ bytes of a chunk
    kDataCr,     // CRLF after a chunk
    kDataLf,
    kTrailerStart,  // first byte of a trailer line, or the CR of the last line
    kTrailerName,
    kTrailerValue,
    kTrailerLf,
    kEndLf,  // LF of the empty line that ends the body
    kDone,
    kRefused,
  };
  void take_frame_byte(unsigned char byte);
  void take_size_digit(unsigned char byte);
  void take_trailer_byte(unsigned char byte);
  void end_size_line();
  void refuse(HttpStatus status);

  Phase phase_ = Phase::kDone;
  HttpStatus status_ = kAccepted;
  std::uint8_t digits_ = 0;
  std::uint64_t remaining_ = 0;
  std::uint64_t decoded_ = 0;
  std::size_t extension_ = 0;
  std::size_t trailer_ = 0;
  std::size_t trailer_lines_ = 0;
  BodyLimits limits_;
};

}  // namespace hotlap::server
