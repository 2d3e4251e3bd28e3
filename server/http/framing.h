// What the header lines say about where a request ends and how its connection goes on. Collected
// by the shared parsing loop, line by line, then judged once at the end of the head.
#pragma once

#include "server/http/head.h"

namespace hotlap::server {

struct FramingFields {
  std::uint64_t content_length = 0;
  bool has_content_length = false;
  bool has_transfer_encoding = false;
  bool last_coding_is_chunked = false;
  std::uint8_t chunked_count = 0;  // saturates at 2
  bool has_other_coding = false;
  bool has_host = false;
  bool connection_close = false;
  bool connection_keep_alive = false;
  bool expect_continue = false;
  bool expect_other = false;
};

// Takes one field if it is a framing field. kAccepted, or 400 for a value or repetition that is
// never allowed (two Hosts, an invalid Host, a bad or repeated Content-Length).
HttpStatus take_framing_field(std::string_view lower_name, std::string_view value,
                              FramingFields& fields);

struct Framing {
  HttpStatus status = kAccepted;
  bool chunked = false;
  std::uint64_t content_length = 0;  // 0 when there is no body or it is chunked
  bool keep_alive = true;
  bool echo_keep_alive = false;  // HTTP/1.0 asked for it
  bool expect_continue = false;  // 1.1 asked, and there is a body to wait for
};

// The verdict at the end of the head: Host, then Transfer-Encoding, then Expect (417).
Framing judge_framing(const FramingFields& fields, int minor);

// uri-host [":" port] of RFC 3986; empty is valid (RFC 9110, 7.2).
bool valid_host(std::string_view value);

}  // namespace hotlap::server
