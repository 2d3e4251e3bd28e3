// Data is passed through whole; only the bytes of the framing are looked at one by one.
#include "server/http/body_decoder.h"

#include <algorithm>

#include "server/http/chars.h"

namespace hotlap::server {
namespace {

constexpr std::uint8_t kMaxSizeDigits = 16;

std::uint64_t hex_value(unsigned char byte) {
  if (byte <= '9') return byte - '0';
  return static_cast<std::uint64_t>(to_lower(static_cast<char>(byte)) - 'a') + 10;
}

}  // namespace

void BodyDecoder::start_empty() { start_length(0); }

void BodyDecoder::start_length(std::uint64_t content_length) {
  *this = BodyDecoder();
  remaining_ = content_length;
  phase_ = content_length == 0 ? Phase::kDone : Phase::kLength;
}

void BodyDecoder::start_chunked(const BodyLimits& limits) {
  *this = BodyDecoder();
  limits_ = limits;
  phase_ = Phase::kSize;
}

void BodyDecoder::refuse(HttpStatus status) {
  status_ = status;
  phase_ = Phase::kRefused;
}

BodyDecoder::Step BodyDecoder::step(std::string_view input) {
  std::size_t at = 0;
  while (at < input.size() && phase_ != Phase::kDone && phase_ != Phase::kRefused) {
    if (phase_ == Phase::kLength || phase_ == Phase::kData) {
      const std::size_t size =
          static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size() - at));
      const std::string_view data = input.substr(at, size);
      remaining_ -= size;
      decoded_ += size;
      if (remaining_ == 0) phase_ = phase_ == Phase::kLength ? Phase::kDone : Phase::kDataCr;
      return {done() ? State::kDone : State::kMore, at + size, data};
    }
    take_frame_byte(static_cast<unsigned char>(input[at]));
    ++at;
  }
  if (phase_ == Phase::kRefused) return {State::kRefused, at, {}};
  return {done() ? State::kDone : State::kMore, at, {}};
}

void BodyDecoder::take_frame_byte(unsigned char byte) {
  switch (phase_) {
    case Phase::kSize:
      return take_size_digit(byte);
    case Phase::kSizeSpace:
    case Phase::kExtension:
      if (++extension_ > limits_.extension_bytes) return refuse(400);
      if (phase_ == Phase::kSizeSpace) {
        if (byte == ';') phase_ = Phase::kExtension;
        if (byte != ';' && byte != ' ' && byte != '\t') refuse(400);
      } else if (byte == '\r') {
        phase_ = Phase::kSizeLf;
      } else if (!has_class(static_cast<char>(byte), kValueChar)) {
        refuse(400);
      }
      return;
    case Phase::kSizeLf:
      return byte == '\n' ? end_size_line() : refuse(400);
    case Phase::kDataCr:
      if (byte != '\r') return refuse(400);
      phase_ = Phase::kDataLf;
      return;
    case Phase::kDataLf:
      if (byte != '\n') return refuse(400);
      phase_ = Phase::kSize;
      digits_ = 0;
      return;
    case Phase::kEndLf:
      if (byte != '\n') return refuse(400);
      phase_ = Phase::kDone;
      return;
    default:
      return take_trailer_byte(byte);
  }
}

void BodyDecoder::take_size_digit(unsigned char byte) {
  if (has_class(static_cast<char>(byte), kHexDigit)) {
    if (++digits_ > kMaxSizeDigits) return refuse(400);
    remaining_ = remaining_ * 16 + hex_value(byte);
    return;
  }
  if (digits_ == 0) return refuse(400);
  if (byte == '\r') {
    phase_ = Phase::kSizeLf;
  } else if (byte == ';') {
    phase_ = Phase::kExtension;
  } else if (byte == ' ' || byte == '\t') {
    phase_ = Phase::kSizeSpace;
  } else {
    refuse(400);
  }
}

void BodyDecoder::end_size_line() {
  if (remaining_ == 0) {
    phase_ = Phase::kTrailerStart;
  } else if (remaining_ > limits_.body_bytes - std::min(limits_.body_bytes, decoded_)) {
    refuse(413);
  } else {
    phase_ = Phase::kData;
  }
}

void BodyDecoder::take_trailer_byte(unsigned char byte) {
  const char c = static_cast<char>(byte);
  if (phase_ == Phase::kTrailerStart && c == '\r') {
    phase_ = Phase::kEndLf;
    return;
  }
  if (++trailer_ > limits_.trailer_bytes) return refuse(431);
  switch (phase_) {
    case Phase::kTrailerStart:
      if (++trailer_lines_ > limits_.trailers) return refuse(431);
      phase_ = Phase::kTrailerName;
      if (!has_class(c, kTokenChar)) refuse(400);
      return;
    case Phase::kTrailerName:
      if (c == ':') {
        phase_ = Phase::kTrailerValue;
      } else if (!has_class(c, kTokenChar)) {
        refuse(400);
      }
      return;
    case Phase::kTrailerValue:
      if (c == '\r') {
        phase_ = Phase::kTrailerLf;
      } else if (!has_class(c, kValueChar)) {
        refuse(400);
      }
      return;
    default:
      if (c != '\n') return refuse(400);
      phase_ = Phase::kTrailerStart;
      return;
  }
}

}  // namespace hotlap::server
