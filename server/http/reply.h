// The head of a reply, before a response variant turns it into bytes.
#pragma once

#include "server/http/head.h"

namespace hotlap::server {

enum class ConnectionToken : std::uint8_t { kOmit, kClose, kKeepAlive };

// Written in this order: Date, Content-Type, Content-Length, Allow, Connection.
struct ReplyHead {
  HttpStatus status = 200;
  const char* date = nullptr;     // 29 bytes
  std::string_view content_type;  // empty: none
  std::uint64_t content_length = 0;
  bool has_content_length = true;  // false for 204
  std::string_view allow;          // empty: none
  ConnectionToken connection = ConnectionToken::kOmit;
};

std::string_view status_reason(HttpStatus status);

// The most that write_reply_head() writes for this head.
std::size_t reply_head_bound(const ReplyHead& head);
// Writes the head with its final empty line; returns its length.
std::size_t write_reply_head(const ReplyHead& head, char* out);

}  // namespace hotlap::server
