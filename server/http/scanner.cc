// The scan jumps from line end to line end, 16 bytes at a time where the processor is an x86.
#include "server/http/scanner.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hotlap::server {
namespace {

constexpr std::size_t kEmptyLineBytes = 2;

// Index of the first CR or LF at or after `from`, or the size.
std::size_t find_line_byte(std::string_view bytes, std::size_t from) {
  std::size_t i = from;
#ifdef __SSE2__
  const __m128i cr = _mm_set1_epi8('\r');
  const __m128i lf = _mm_set1_epi8('\n');
  for (; i + 16 <= bytes.size(); i += 16) {
    const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + i));
    const int hits =
        _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(chunk, cr), _mm_cmpeq_epi8(chunk, lf)));
    if (hits != 0) return i + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(hits)));
  }
#endif
  while (i < bytes.size() && bytes[i] != '\r' && bytes[i] != '\n') ++i;
  return i;
}

}  // namespace

void HeadScanner::reset() {
  const HeadLimits limits = limits_;
  *this = HeadScanner(limits);
}

HeadScanner::State HeadScanner::refuse(HttpStatus status) {
  status_ = status;
  return State::kRefused;
}

// Counts the bytes of the target in a part of the request line. False once there are too many.
bool HeadScanner::check_target(std::string_view bytes) {
  while (!bytes.empty() && spaces_ < 2) {
    const std::size_t space = std::min(bytes.find(' '), bytes.size());
    if (spaces_ == 1) {
      target_length_ += space;
      if (target_length_ > limits_.target_bytes) return false;
    }
    if (space == bytes.size()) break;
    ++spaces_;
    bytes.remove_prefix(space + 1);
  }
  return true;
}

// A CRLF was just taken. True when the head is complete; status_ is set when it must not go on.
bool HeadScanner::end_line() {
  const std::size_t length = taken_ - 2 - line_start_;
  line_start_ = taken_;
  if (lines_ == 0) {
    if (length != 0) {
      line_length_ = length;
      lines_ = 1;
    } else if (head_offset_ == 0) {
      head_offset_ = kEmptyLineBytes;
    } else {
      status_ = 400;
    }
    return false;
  }
  if (length == 0) return true;
  if (lines_ > limits_.headers) status_ = 431;
  ++lines_;
  return false;
}

// The empty line that may come first does not count towards the limit: it is taken by itself, so
// that the room for the rest is known.
HeadScanner::State HeadScanner::scan(std::string_view bytes) {
  if (status_ != kAccepted) return State::kRefused;
  if (taken_ == 0 ? bytes.starts_with('\r') : taken_ == 1 && after_cr_) {
    const std::size_t part = std::min(bytes.size(), kEmptyLineBytes - taken_);
    const State state = scan_within_limit(bytes.substr(0, part));
    if (state != State::kMore) return state;
    bytes.remove_prefix(part);
  }
  return scan_within_limit(bytes);
}

HeadScanner::State HeadScanner::scan_within_limit(std::string_view bytes) {
  const std::size_t room = limits_.head_bytes + head_offset_ - taken_;
  const bool beyond = bytes.size() > room;
  if (beyond) bytes = bytes.substr(0, room);
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (after_cr_) {
      if (bytes[at] != '\n') return refuse(400);
      after_cr_ = false;
      ++at;
      ++taken_;
      if (end_line()) return State::kComplete;
      if (status_ != kAccepted) return State::kRefused;
      continue;
    }
    const std::size_t stop = find_line_byte(bytes, at);
    if (lines_ == 0 && !check_target(bytes.substr(at, stop - at))) return refuse(414);
    taken_ += stop - at;
    at = stop;
    if (at == bytes.size()) break;
    if (bytes[at] == '\n') return refuse(400);
    after_cr_ = true;
    ++at;
    ++taken_;
  }
  return beyond ? refuse(431) : State::kMore;
}

}  // namespace hotlap::server
