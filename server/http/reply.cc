// Heads are put together by copying literals; the status line of each status is one of them.
#include "server/http/reply.h"

#include <charconv>
#include <cstring>

namespace hotlap::server {
namespace {

struct StatusText {
  HttpStatus status;
  std::string_view line;  // up to and with "Date: "
};

#define HOTLAP_STATUS(code, reason) \
  StatusText { code, "HTTP/1.1 " #code " " reason "\r\nDate: " }
constexpr StatusText kStatuses[] = {
    HOTLAP_STATUS(200, "OK"),
    HOTLAP_STATUS(204, "No Content"),
    HOTLAP_STATUS(304, "Not Modified"),
    HOTLAP_STATUS(400, "Bad Request"),
    HOTLAP_STATUS(404, "Not Found"),
    HOTLAP_STATUS(405, "Method Not Allowed"),
    HOTLAP_STATUS(408, "Request Timeout"),
    HOTLAP_STATUS(413, "Content Too Large"),
    HOTLAP_STATUS(414, "URI Too Long"),
    HOTLAP_STATUS(417, "Expectation Failed"),
    HOTLAP_STATUS(431, "Request Header Fields Too Large"),
    HOTLAP_STATUS(500, "Internal Server Error"),
    HOTLAP_STATUS(501, "Not Implemented"),
    HOTLAP_STATUS(503, "Service Unavailable"),
    HOTLAP_STATUS(505, "HTTP Version Not Supported"),
};
#undef HOTLAP_STATUS
constexpr std::size_t kCodeAt = sizeof("HTTP/1.1 ") - 1;
constexpr std::string_view kDateName = "\r\nDate: ";
constexpr std::size_t kDateBytes = 29;
constexpr std::string_view kContentType = "\r\nContent-Type: ";
constexpr std::string_view kContentLength = "\r\nContent-Length: ";
constexpr std::string_view kAllow = "\r\nAllow: ";
constexpr std::string_view kClose = "\r\nConnection: close";
constexpr std::string_view kKeepAlive = "\r\nConnection: keep-alive";
constexpr std::string_view kEnd = "\r\n\r\n";
constexpr std::size_t kMaxNumber = 20;

std::string_view status_line(HttpStatus status) {
  if (status == 200) return kStatuses[0].line;
  for (const StatusText& text : kStatuses) {
    if (text.status == status) return text.line;
  }
  return status_line(500);
}

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

}  // namespace

std::string_view status_reason(HttpStatus status) {
  std::string_view line = status_line(status);
  line.remove_prefix(kCodeAt + 4);
  line.remove_suffix(kDateName.size());
  return line;
}

std::size_t reply_head_bound(const ReplyHead& head) {
  return status_line(head.status).size() + kDateBytes + kContentType.size() +
         head.content_type.size() + kContentLength.size() + kMaxNumber + kAllow.size() +
         head.allow.size() + kKeepAlive.size() + kEnd.size();
}

std::size_t write_reply_head(const ReplyHead& head, char* out) {
  char* at = append(out, status_line(head.status));
  at = append(at, {head.date, kDateBytes});
  if (!head.content_type.empty()) at = append(append(at, kContentType), head.content_type);
  if (head.has_content_length) {
    at = append(at, kContentLength);
    at = std::to_chars(at, at + kMaxNumber, head.content_length).ptr;
  }
  if (!head.allow.empty()) at = append(append(at, kAllow), head.allow);
  if (head.connection == ConnectionToken::kClose) at = append(at, kClose);
  if (head.connection == ConnectionToken::kKeepAlive) at = append(at, kKeepAlive);
  at = append(at, kEnd);
  return static_cast<std::size_t>(at - out);
}

}  // namespace hotlap::server
