// The state machine of a reply: lines of the head, then a body by one of four framings (RFC 9112
// section 6.3). Strict where leniency would hide a server's fault, but a lone LF ends a line, as
// section 2.2 allows.
#include "harness/load/reply_reader.h"

#include <algorithm>

#include "harness/load/http_text.h"

namespace hotlap::load {

using Event = ReplyReader::Event;

void ReplyReader::clear_head() {
  state_ = State::kStatusLine;
  http10_ = close_token_ = keep_alive_token_ = false;
  has_length_ = has_encoding_ = chunked_ = false;
  length_ = left_ = 0;
}

void ReplyReader::begin(bool head) {
  clear_head();
  head_ = head;
  started_ = keep_alive_ = line_ready_ = false;
  status_ = 0;
  head_bytes_ = 0;
  line_.clear();
  piece_ = {};
  fault_ = "";
}

Event ReplyReader::bad(std::string_view why) {
  state_ = State::kBad;
  fault_ = why;
  keep_alive_ = false;
  return Event::kBad;
}

Event ReplyReader::next(std::string_view& bytes) {
  if (!bytes.empty()) started_ = true;
  while (true) {
    std::string_view line;
    Event event = Event::kMore;
    switch (state_) {
      case State::kStatusLine:
        if (!take_line(bytes, kMaxLine, line)) return state_ == State::kBad ? Event::kBad : event;
        event = on_status_line(line);
        break;
      case State::kHeaders:
      case State::kTrailers:
        if (!take_line(bytes, kMaxLine, line)) return state_ == State::kBad ? Event::kBad : event;
        event = on_header(line);
        break;
      case State::kChunkSize:
        if (!take_line(bytes, kMaxChunkLine, line)) {
          return state_ == State::kBad ? Event::kBad : event;
        }
        event = on_chunk_size(line);
        break;
      case State::kChunkEnd:
        if (!take_line(bytes, 2, line)) return state_ == State::kBad ? Event::kBad : event;
        event = on_chunk_end(line);
        break;
      case State::kSized:
      case State::kChunkData:
      case State::kUntilClose:
        if (bytes.empty() && left_ != 0) return event;
        event = take_body(bytes);
        break;
      case State::kDone:
        return Event::kDone;
      case State::kBad:
        return Event::kBad;
    }
    if (event != Event::kMore) return event;
  }
}

Event ReplyReader::finish() {
  switch (state_) {
    case State::kUntilClose:
      state_ = State::kDone;
      return Event::kDone;
    case State::kDone:
      return Event::kDone;
    case State::kBad:
      return Event::kBad;
    default:
      return bad("the stream ended within a reply");
  }
}

bool ReplyReader::take_line(std::string_view& bytes, std::size_t limit, std::string_view& line) {
  if (line_ready_) {
    line_.clear();
    line_ready_ = false;
  }
  const std::size_t end = bytes.find('\n');
  const std::size_t taken = end == std::string_view::npos ? bytes.size() : end + 1;
  const bool of_head = state_ != State::kChunkSize && state_ != State::kChunkEnd;
  if (of_head) head_bytes_ += taken;
  if (line_.size() + taken > limit || head_bytes_ > kMaxHead) {
    bad(state_ == State::kChunkEnd ? "chunk data is not followed by CRLF"
        : of_head                  ? "the head is longer than the limit"
                                   : "a chunk's size line is longer than the limit");
    return false;
  }
  if (end == std::string_view::npos) {
    line_.append(bytes);
    bytes = {};
    return false;
  }
  if (line_.empty()) {
    line = bytes.substr(0, end);
  } else {
    line_.append(bytes.substr(0, end));
    line = line_;
    line_ready_ = true;
  }
  bytes.remove_prefix(taken);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

Event ReplyReader::on_status_line(std::string_view line) {
  const auto digit = [&](std::size_t i) { return line[i] >= '0' && line[i] <= '9'; };
  if (line.size() < 12 || !line.starts_with("HTTP/1.") || !digit(7) || line[8] != ' ' ||
      !digit(9) || !digit(10) || !digit(11) || (line.size() > 12 && line[12] != ' ') ||
      !is_field_value(line)) {
    return bad("the status line is malformed");
  }
  http10_ = line[7] == '0';
  status_ = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  if (status_ < 100) return bad("the status code is below 100");
  if (status_ == 101) return bad("the server switches protocols, which nobody asked for");
  state_ = State::kHeaders;
  return Event::kMore;
}

bool ReplyReader::split_field(std::string_view line, std::string_view& name,
                              std::string_view& value) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  name = line.substr(0, colon);
  value = trimmed(line.substr(colon + 1));
  return is_token(name) && is_field_value(value);
}

Event ReplyReader::on_header(std::string_view line) {
  if (line.empty()) {
    if (state_ == State::kHeaders) return on_head_end();
    state_ = State::kDone;
    return Event::kDone;
  }
  std::string_view name;
  std::string_view value;
  if (!split_field(line, name, value)) return bad("a header line is malformed");
  if (state_ == State::kTrailers) return Event::kMore;
  if (same_ignoring_case(name, "content-length")) {
    if (!on_content_length(value)) return bad("Content-Length is malformed or contradictory");
  } else if (same_ignoring_case(name, "transfer-encoding")) {
    if (!on_transfer_encoding(value)) return bad("Transfer-Encoding is malformed");
  } else if (same_ignoring_case(name, "connection")) {
    on_connection(value);
  }
  return Event::kMore;
}

bool ReplyReader::on_content_length(std::string_view value) {
  do {
    const std::string_view element = next_element(value);
    if (element.empty()) return false;
    std::uint64_t length = 0;
    for (const char c : element) {
      if (c < '0' || c > '9') return false;
      // Lengths beyond 2^63 are refused, so that no sum of them can wrap.
      if (length > (INT64_MAX - 9) / 10) return false;
      length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (has_length_ && length != length_) return false;
    has_length_ = true;
    length_ = length;
  } while (!value.empty());
  return true;
}

bool ReplyReader::on_transfer_encoding(std::string_view value) {
  has_encoding_ = true;
  while (!value.empty()) {
    const std::string_view coding = next_element(value);
    if (coding.empty()) continue;
    if (chunked_) return false;  // nothing may follow "chunked"
    chunked_ = same_ignoring_case(coding, "chunked");
  }
  return true;
}

void ReplyReader::on_connection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view token = next_element(value);
    if (same_ignoring_case(token, "close")) close_token_ = true;
    if (same_ignoring_case(token, "keep-alive")) keep_alive_token_ = true;
  }
}

Event ReplyReader::on_head_end() {
  if (status_ < 200) {
    clear_head();
    return Event::kMore;
  }
  if (has_encoding_ && has_length_) {
    return bad("the reply has both Content-Length and Transfer-Encoding");
  }
  if (has_encoding_ && http10_) return bad("Transfer-Encoding in an HTTP/1.0 reply");
  keep_alive_ = !close_token_ && (!http10_ || keep_alive_token_);
  if (head_ || status_ == 204 || status_ == 304) {
    state_ = State::kDone;
  } else if (chunked_) {
    state_ = State::kChunkSize;
  } else if (has_length_) {
    left_ = length_;
    state_ = left_ == 0 ? State::kDone : State::kSized;
  } else {
    left_ = UINT64_MAX;
    keep_alive_ = false;
    state_ = State::kUntilClose;
  }
  return Event::kMore;
}

Event ReplyReader::on_chunk_size(std::string_view line) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size(); ++digits) {
    const char c = lower(line[digits]);
    const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (value < 0) break;
    if (digits == 15) return bad("a chunk's size is beyond 60 bits");
    size = size * 16 + static_cast<std::uint64_t>(value);
  }
  const std::string_view rest = trimmed(line.substr(digits));
  if (digits == 0 || (!rest.empty() && rest.front() != ';') || !is_field_value(rest)) {
    return bad("a chunk's size line is malformed");
  }
  left_ = size;
  state_ = size == 0 ? State::kTrailers : State::kChunkData;
  return Event::kMore;
}

Event ReplyReader::on_chunk_end(std::string_view line) {
  if (!line.empty()) return bad("chunk data is not followed by CRLF");
  state_ = State::kChunkSize;
  return Event::kMore;
}

Event ReplyReader::take_body(std::string_view& bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  piece_ = bytes.substr(0, taken);
  bytes.remove_prefix(taken);
  if (state_ == State::kUntilClose) return taken == 0 ? Event::kMore : Event::kBody;
  left_ -= taken;
  if (left_ == 0) state_ = state_ == State::kSized ? State::kDone : State::kChunkEnd;
  return Event::kBody;
}

}  // namespace hotlap::load
