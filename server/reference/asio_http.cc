#include "server/reference/asio_http.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hotlap::reference {
namespace {

constexpr uint32_t kMaxSkippedBytes = 16 * 1024;
constexpr uint64_t kMaxEchoBytes = 1024 * 1024;

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool equal_ignoring_case(std::string_view a, std::string_view lower_case) {
  return a.size() == lower_case.size() && std::equal(a.begin(), a.end(), lower_case.begin(),
                                                     [](char x, char y) { return lower(x) == y; });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

template <typename Visit>
void for_each_in_list(std::string_view list, Visit visit) {
  while (!list.empty()) {
    size_t comma = list.find(',');
    visit(trim(list.substr(0, comma)));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
}

bool parse_digits(std::string_view text, uint64_t& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && text[0] != '-';
}

int parse_request_line(std::string_view line, Request& out) {
  size_t first = line.find(' ');
  size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return 400;
  out.method = line.substr(0, first);
  out.target = line.substr(first + 1, second - first - 1);
  std::string_view version = line.substr(second + 1);
  if (out.method.empty() || !std::all_of(out.method.begin(), out.method.end(), is_token_char)) {
    return 400;
  }
  if (out.target.size() > 8192) return 414;
  auto visible = [](char c) { return c > ' ' && c < 0x7f && c != '#'; };
  if (out.target.empty() || !std::all_of(out.target.begin(), out.target.end(), visible)) return 400;
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (version.size() != 8 || !version.starts_with("HTTP/") || !digit(version[5]) ||
      version[6] != '.' || !digit(version[7])) {
    return 400;
  }
  if (version[5] != '1') return 505;
  out.version_1_0 = version[7] == '0';
  if (out.target.starts_with("http://")) {
    size_t path = out.target.find('/', 7);
    out.target = path == std::string_view::npos ? "/" : out.target.substr(path);
  } else if (out.target[0] != '/' && out.target != "*") {
    return 400;
  }
  return 0;
}

struct Seen {
  int hosts = 0;
  bool length = false, coding = false, chunked_last = false, other_coding = false, twice = false;
  bool close = false, keep_alive = false, bad_expect = false;
};

int take_header(std::string_view name, std::string_view value, Request& out, Seen& seen) {
  if (equal_ignoring_case(name, "content-length")) {
    if (seen.length || !parse_digits(value, out.content_length)) return 400;
    seen.length = true;
  } else if (equal_ignoring_case(name, "transfer-encoding")) {
    seen.coding = true;
    for_each_in_list(value, [&](std::string_view coding) {
      if (coding.empty()) return;
      bool chunked = equal_ignoring_case(coding, "chunked");
      seen.twice |= chunked && seen.chunked_last;
      seen.other_coding |= !chunked;
      seen.chunked_last = chunked;
    });
  } else if (equal_ignoring_case(name, "connection")) {
    for_each_in_list(value, [&](std::string_view option) {
      seen.close |= equal_ignoring_case(option, "close");
      seen.keep_alive |= equal_ignoring_case(option, "keep-alive");
    });
  } else if (equal_ignoring_case(name, "host")) {
    ++seen.hosts;
  } else if (equal_ignoring_case(name, "expect")) {
    out.expect_continue = equal_ignoring_case(value, "100-continue");
    seen.bad_expect |= !out.expect_continue;
  }
  return 0;
}

int conclude(const Seen& seen, Request& out) {
  if (seen.hosts > 1 || (seen.hosts == 0 && !out.version_1_0)) return 400;
  if (seen.coding) {
    if (out.version_1_0 || seen.length || !seen.chunked_last || seen.twice) return 400;
    if (seen.other_coding) return 501;
    out.framing = Framing::chunked;
  } else if (seen.length) {
    if (out.content_length > kMaxBodyBytes) return 413;
    out.framing = Framing::length;
  }
  if (out.version_1_0) {
    out.expect_continue = false;
  } else if (seen.bad_expect) {
    return 417;
  }
  out.keep_alive = !seen.close && (!out.version_1_0 || seen.keep_alive);
  return 0;
}

struct Route {
  std::string_view path, allow;
};
constexpr Route kRoutes[] = {{"/hello", "GET, HEAD"},
                             {"/ping", "GET, HEAD"},
                             {"/echo", "GET, HEAD, POST"},
                             {"/address", "GET, HEAD"}};

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

void append_number(std::string& out, uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

struct Reply {
  int status = 200;
  std::string_view content_type = "text/plain";
  std::string_view body, connection, allow;
  bool without_body = false;
};

void append_reply(const Reply& reply, HttpDate& date, std::string& out) {
  date.refresh();
  out += "HTTP/1.1 ";
  append_number(out, static_cast<uint64_t>(reply.status));
  (out += ' ') += reason(reply.status);
  (out += "\r\nDate: ") += date.text();
  if (reply.status != 204) {
    (out += "\r\nContent-Type: ") += reply.content_type;
    out += "\r\nContent-Length: ";
    append_number(out, reply.body.size());
  }
  if (!reply.allow.empty()) (out += "\r\nAllow: ") += reply.allow;
  if (!reply.connection.empty()) (out += "\r\nConnection: ") += reply.connection;
  out += "\r\n\r\n";
  if (!reply.without_body) out += reply.body;
}

// The size asked of GET /echo: 64 when absent or 0; nothing where it is no size.
std::optional<uint64_t> echo_size(std::string_view query) {
  uint64_t size = 0;
  while (!query.empty()) {
    size_t ampersand = query.find('&');
    std::string_view pair = query.substr(0, ampersand);
    if (pair == "size" || pair.starts_with("size=")) {
      if (!parse_digits(pair.substr(std::min<size_t>(pair.size(), 5)), size) ||
          size > kMaxEchoBytes)
        return std::nullopt;
      break;
    }
    query.remove_prefix(ampersand == std::string_view::npos ? query.size() : ampersand + 1);
  }
  return size == 0 ? 64 : size;
}

bool is_known_method(std::string_view method) {
  for (std::string_view known :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}) {
    if (method == known) return true;
  }
  return false;
}

}  // namespace

int parse_head(std::string_view head, Request& out) {
  size_t line_end = head.find("\r\n");
  std::string_view line = head.substr(0, line_end);
  auto control = [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; };
  if (int status = parse_request_line(line, out)) return status;
  Seen seen;
  size_t headers = 0;
  for (size_t at = line_end + 2; at + 2 < head.size(); at = line_end + 2) {
    line_end = head.find("\r\n", at);
    line = head.substr(at, line_end - at);
    if (++headers > kMaxHeaders) return 431;
    size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return 400;
    std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    if (!std::all_of(name.begin(), name.end(), is_token_char)) return 400;
    if (std::any_of(value.begin(), value.end(), control)) return 400;
    if (int status = take_header(name, trim(value), out, seen)) return status;
  }
  return conclude(seen, out);
}

ChunkedBody::State ChunkedBody::feed(std::string_view& input, std::string& body) {
  while (!input.empty()) {
    if (part_ == Part::data) {
      size_t length = std::min<uint64_t>(left_, input.size());
      body.append(input.substr(0, length));
      input.remove_prefix(length);
      left_ -= length;
      if (left_ == 0) part_ = Part::data_cr;
      continue;
    }
    char c = input.front();
    bool ends = part_ == Part::last_lf && line_empty_;
    if (!take(c)) return State::bad;
    input.remove_prefix(1);
    if (ends) return State::done;
    if (part_ == Part::data && body.size() + left_ > kMaxBodyBytes) return State::too_large;
  }
  return State::more;
}

// One byte that is not data. False where it may not stand here.
bool ChunkedBody::take(char c) {
  switch (part_) {
    case Part::size: {
      int digit = c >= '0' && c <= '9'                 ? c - '0'
                  : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 87
                                                       : -1;
      if (digit >= 0) {
        left_ = left_ * 16 + static_cast<uint64_t>(digit);
        return ++digits_ <= 16;
      }
      if (digits_ == 0) return false;
      part_ = c == '\r' ? Part::size_lf : c == ';' ? Part::extension : Part::size_space;
      return c == '\r' || c == ';' || c == ' ' || c == '\t';
    }
    case Part::size_space:
      if (c == ';') part_ = Part::extension;
      return (c == ';' || c == ' ' || c == '\t') && ++skipped_bytes_ <= kMaxSkippedBytes;
    case Part::extension:
      if (c == '\r') part_ = Part::size_lf;
      return c != '\n' && ++skipped_bytes_ <= kMaxSkippedBytes;
    case Part::size_lf:
      part_ = left_ > 0 ? Part::data : Part::trailer;
      digits_ = 0;
      return c == '\n';
    case Part::data_cr:
      part_ = Part::data_lf;
      return c == '\r';
    case Part::data_lf:
      part_ = Part::size;
      return c == '\n';
    case Part::trailer:
      if (c == '\r') {
        part_ = Part::last_lf;
        return true;
      }
      line_empty_ = false;
      return c != '\n' && ++skipped_bytes_ <= kMaxSkippedBytes;
    case Part::last_lf:
      part_ = Part::trailer;
      line_empty_ = true;
      return c == '\n';
    case Part::data:
      break;
  }
  return false;
}

bool answer(const Request& request, std::string_view body, const Addresses& addresses,
            HttpDate& date, std::string& out) {
  Reply reply;
  if (!request.keep_alive) {
    reply.connection = "close";
  } else if (request.version_1_0) {
    reply.connection = "keep-alive";
  }
  reply.without_body = request.method == "HEAD";
  std::string_view path = request.target.substr(0, request.target.find('?'));
  std::string_view query = request.target.substr(std::min(path.size() + 1, request.target.size()));
  const Route* route = std::find_if(std::begin(kRoutes), std::end(kRoutes),
                                    [&](const Route& r) { return r.path == path; });
  bool posted = request.method == "POST";
  std::string made;
  if (!is_known_method(request.method)) {
    reply.status = 501;
  } else if (request.method == "CONNECT" || request.method == "TRACE") {
    reply.status = 405;
    reply.allow = route == std::end(kRoutes) ? "GET, HEAD, POST" : route->allow;
  } else if (request.method == "OPTIONS" && path == "*") {
    reply.status = 204;
    reply.allow = "GET, HEAD, POST, OPTIONS";
    reply.without_body = true;
  } else if (route == std::end(kRoutes)) {
    reply.status = 404;
  } else if (!(request.method == "GET" || request.method == "HEAD" ||
               (posted && path == "/echo"))) {
    reply.status = 405;
    reply.allow = route->allow;
  } else if (path == "/hello") {
    reply.body = "Hello, World!";
  } else if (path == "/ping") {
    reply.body = "pong";
  } else if (path == "/address") {
    reply.body = addresses.text;
  } else if (posted) {
    reply.content_type = "application/octet-stream";
    reply.body = body;
  } else if (auto size = echo_size(query)) {
    made.assign(*size, 'x');
    reply.body = made;
  } else {
    reply.status = 400;
    reply.body = "size must be digits, at most 1048576";
  }
  if (reply.status != 200 && reply.body.empty()) reply.body = reason(reply.status);
  append_reply(reply, date, out);
  return request.keep_alive;
}

void answer_error(int status, HttpDate& date, std::string& out) {
  Reply reply;
  reply.status = status;
  reply.body = reason(status);
  reply.connection = "close";
  append_reply(reply, date, out);
}

}  // namespace hotlap::reference
