#include "server/conformance/reply.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hotlap::conformance {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

bool starts_ignoring_case(std::string_view text, std::string_view start) {
  return equal_ignoring_case(text.substr(0, start.size()), start);
}

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<uint64_t> number(std::string_view text, int base) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

enum class Taken { whole, more, wrong };

// Decodes a chunked body at the front of `rest`; takes it off where whole.
Taken take_chunked(std::string_view& rest, std::string& body) {
  std::string_view at = rest;
  for (;;) {
    size_t line_end = at.find("\r\n");
    if (line_end == std::string_view::npos) return at.size() > 4096 ? Taken::wrong : Taken::more;
    auto size = number(trim(at.substr(0, std::min(line_end, at.find(';')))), 16);
    if (!size) return Taken::wrong;
    at.remove_prefix(line_end + 2);
    if (*size == 0) break;
    if (at.size() < 2 || at.size() - 2 < *size) return Taken::more;
    if (at.substr(*size, 2) != "\r\n") return Taken::wrong;
    body += at.substr(0, *size);
    at.remove_prefix(*size + 2);
  }
  for (;;) {  // trailers
    size_t line_end = at.find("\r\n");
    if (line_end == std::string_view::npos) return Taken::more;
    at.remove_prefix(line_end + 2);
    if (line_end == 0) break;
  }
  rest = at;
  return Taken::whole;
}

bool has_no_body(const Reply& reply) {
  return reply.status < 200 || reply.status == 204 || reply.status == 304;
}

Taken take_body(std::string_view& rest, bool closed, Reply& reply, std::string& error) {
  if (std::string_view coding = reply.field("Transfer-Encoding"); coding.data() != nullptr) {
    if (!equal_ignoring_case(coding, "chunked")) {
      error = "transfer coding '" + std::string(coding) + "' is not understood";
      return Taken::wrong;
    }
    Taken taken = take_chunked(rest, reply.body);
    if (taken == Taken::wrong) error = "bad chunk";
    return taken;
  }
  if (std::string_view length = reply.field("Content-Length"); length.data() != nullptr) {
    auto bytes = number(length, 10);
    if (!bytes) {
      error = "bad Content-Length '" + std::string(length) + "'";
      return Taken::wrong;
    }
    if (rest.size() < *bytes) return Taken::more;
    reply.body = rest.substr(0, *bytes);
    rest.remove_prefix(*bytes);
    return Taken::whole;
  }
  if (!closed) return Taken::more;
  reply.body = rest;
  rest = rest.substr(rest.size());
  return Taken::whole;
}

// Replaces the value of `label`'s line in an /address body.
std::string mask_address_body(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    size_t end = body.find_first_of("0123456789[");
    out += body.substr(0, end);
    if (end == std::string_view::npos) break;
    body.remove_prefix(end);
    // An address runs as long as its characters do: 127.0.0.1:80, [::1]:80.
    size_t length = std::min(body.find_first_not_of("0123456789abcdefABCDEF.:[]"), body.size());
    std::string_view word = body.substr(0, length);
    out += word.find(':') == std::string_view::npos ? std::string(word) : std::string("ADDRESS");
    body.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string_view Reply::field(std::string_view name) const {
  for (size_t at = head.find("\r\n"); at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
    std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    size_t colon = line.find(':');
    if (colon != std::string_view::npos && equal_ignoring_case(line.substr(0, colon), name)) {
      return trim(line.substr(colon + 1));
    }
  }
  return {};
}

CutReplies cut_replies(std::string_view bytes, const std::vector<bool>& heads, bool closed) {
  CutReplies cut;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    if (!rest.substr(0, 7).starts_with(std::string_view("HTTP/1.").substr(0, rest.size()))) {
      cut.error = "what follows is no reply: '" + std::string(rest.substr(0, 40)) + "'";
      break;
    }
    size_t end = rest.find("\r\n\r\n");
    if (end == std::string_view::npos) break;
    Reply reply;
    reply.head = rest.substr(0, end + 4);
    auto status = number(reply.head.substr(9, 3), 10);
    if (!status || *status < 100) {
      cut.error = "bad status line '" + std::string(reply.head.substr(0, 40)) + "'";
      break;
    }
    reply.status = static_cast<int>(*status);
    rest.remove_prefix(reply.head.size());
    bool answers_head = cut.replies.size() < heads.size() && heads[cut.replies.size()];
    if (!answers_head && !has_no_body(reply) &&
        take_body(rest, closed, reply, cut.error) != Taken::whole) {
      break;
    }
    cut.replies.push_back(std::move(reply));
    cut.consumed = bytes.size() - rest.size();
  }
  return cut;
}

std::string mask_reply(const Reply& reply) {
  bool shows_addresses = false;
  std::string body = reply.body;
  if (reply.status == 200 && body.size() < 200 && body.find("127.0.0.1:") != std::string::npos) {
    body = mask_address_body(body);
    shows_addresses = true;
  }
  std::string out;
  std::string_view head = reply.head;
  while (!head.empty()) {
    size_t end = head.find("\r\n") + 2;
    std::string_view line = head.substr(0, end);
    if (starts_ignoring_case(line, "date: ") && line.size() == 6 + 29 + 2) {
      (out += line.substr(0, 6)) += std::string(29, '*') + "\r\n";
    } else if (shows_addresses && starts_ignoring_case(line, "content-length: ")) {
      (out += line.substr(0, 16)) += "N\r\n";
    } else {
      out += line;
    }
    head.remove_prefix(end);
  }
  return out + body;
}

}  // namespace hotlap::conformance
