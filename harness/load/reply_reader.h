// Reads replies of HTTP/1.1 and 1.0 from pieces of any size, with the same result at every split.
// Bodies are handed out as they come and never stored, so that memory stays bounded by one line.
// Interim (1xx) replies are skipped; trailers and chunk extensions are checked and dropped.
//
//   reader.begin(head);
//   while (true) switch (reader.next(bytes)) {   // takes what it consumed off `bytes`
//     case kMore: feed another piece, or finish() at the end of the stream
//     case kBody: reader.piece() is the next part of the body
//     case kDone: bytes that are left over were not asked for
//     case kBad:  reader.fault() says why
//   }
#ifndef HOTLAP_HARNESS_LOAD_REPLY_READER_H_
#define HOTLAP_HARNESS_LOAD_REPLY_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace hotlap::load {

class ReplyReader {
 public:
  enum class Event : std::uint8_t { kMore, kBody, kDone, kBad };

  static constexpr std::size_t kMaxLine = 16 * 1024;
  static constexpr std::size_t kMaxHead = 64 * 1024;  // interim replies and trailers included
  static constexpr std::size_t kMaxChunkLine = 4 * 1024;

  // Starts a reply; `head` when it answers a HEAD request.
  void begin(bool head);
  Event next(std::string_view& bytes);
  // The stream ended: kDone when that is how this reply ends, else kBad.
  Event finish();

  int status() const { return status_; }
  // After kDone: whether the connection may carry another request.
  bool keep_alive() const { return keep_alive_; }
  std::string_view piece() const { return piece_; }
  // Whether any byte of the reply was read.
  bool started() const { return started_; }
  std::string_view fault() const { return fault_; }

 private:
  enum class State : std::uint8_t {
    kStatusLine,
    kHeaders,
    kSized,
    kUntilClose,
    kChunkSize,
    kChunkData,
    kChunkEnd,
    kTrailers,
    kDone,
    kBad,
  };

  Event bad(std::string_view why);
  // Takes a line off `bytes`, its end included, into `line`; false when it is not whole yet or too
  // long (then state_ is kBad).
  bool take_line(std::string_view& bytes, std::size_t limit, std::string_view& line);
  Event on_status_line(std::string_view line);
  Event on_header(std::string_view line);
  Event on_head_end();
  Event on_chunk_size(std::string_view line);
  Event on_chunk_end(std::string_view line);
  Event take_body(std::string_view& bytes);
  // These four are false when the field makes the framing unusable.
  bool split_field(std::string_view line, std::string_view& name, std::string_view& value);
  bool on_content_length(std::string_view value);
  bool on_transfer_encoding(std::string_view value);
  void on_connection(std::string_view value);
  void clear_head();

  State state_ = State::kBad;
  bool head_ = false;
  bool started_ = false;
  bool http10_ = false;
  bool close_token_ = false;
  bool keep_alive_token_ = false;
  bool has_length_ = false;
  bool has_encoding_ = false;
  bool chunked_ = false;  // the last transfer coding is "chunked"
  bool keep_alive_ = false;
  bool line_ready_ = false;  // line_ was handed out and is to be dropped
  int status_ = 0;
  std::uint64_t length_ = 0;  // of the body
  std::uint64_t left_ = 0;    // of the body or chunk
  std::size_t head_bytes_ = 0;
  std::string line_;  // a line that is not whole yet
  std::string_view piece_;
  std::string_view fault_ = "";
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_REPLY_READER_H_
