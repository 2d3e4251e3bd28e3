// The HTTP of the asio reference: requests are cut from a buffer and answered into a string. It is
// strict about framing (RFC 9112), so that it can stand beside the lab's server, but has no
// settings, no timeouts and no /inspect. One allocation only where a body or reply outgrows what
// the connection already holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/reference/http_date.h"

namespace hotlap::reference {

constexpr size_t kMaxHeadBytes = 16 * 1024;
constexpr size_t kMaxBodyBytes = 8 * 1024 * 1024;
constexpr size_t kMaxHeaders = 100;

enum class Framing : uint8_t { none, length, chunked };

struct Request {
  std::string_view method, target;
  Framing framing = Framing::none;
  uint64_t content_length = 0;
  bool version_1_0 = false;
  bool keep_alive = true;
  bool expect_continue = false;
};

// 0 and `out` filled, or the status to answer before closing. `head` ends after its empty line.
int parse_head(std::string_view head, Request& out);

// Decodes a chunked body as it arrives. Bytes may come in any pieces.
class ChunkedBody {
 public:
  enum class State : uint8_t { more, done, bad, too_large };

  // Consumes from `input`, appends data to `body`; what is left in `input` belongs to no one yet.
  State feed(std::string_view& input, std::string& body);

 private:
  enum class Part : uint8_t {
    size,
    size_space,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer,
    last_lf
  };
  bool take(char c);

  Part part_ = Part::size;
  uint64_t left_ = 0;
  uint32_t digits_ = 0;
  uint32_t skipped_bytes_ = 0;  // extensions and trailers so far, bounded
  bool line_empty_ = true;
};

// Addresses of a connection, printed once.
struct Addresses {
  std::string text;
};

// Appends the reply to `out`. Returns whether the connection stays open.
bool answer(const Request& request, std::string_view body, const Addresses& addresses,
            HttpDate& date, std::string& out);

void answer_error(int status, HttpDate& date, std::string& out);

}  // namespace hotlap::reference
