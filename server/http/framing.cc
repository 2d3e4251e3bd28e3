// Rules of RFC 9112, section 6, tightened: whatever two parsers could read in two ways is refused.
#include "server/http/framing.h"

#include "server/http/chars.h"

namespace hotlap::server {
namespace {

// Calls take(element) for each element of a comma-separated list, empty ones left out.
template <class Take>
void for_each_element(std::string_view list, Take take) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view element = trim_blanks(list.substr(0, comma));
    if (!element.empty()) take(element);
    if (comma == list.npos) break;
    list.remove_prefix(comma + 1);
  }
}

HttpStatus take_content_length(std::string_view value, FramingFields& fields) {
  if (fields.has_content_length || value.empty()) return 400;
  std::uint64_t length = 0;
  for (const char c : value) {
    if (!has_class(c, kDigit)) return 400;
    if (__builtin_mul_overflow(length, std::uint64_t{10}, &length) ||
        __builtin_add_overflow(length, static_cast<std::uint64_t>(c - '0'), &length)) {
      return 400;
    }
  }
  fields.has_content_length = true;
  fields.content_length = length;
  return kAccepted;
}

void take_transfer_encoding(std::string_view value, FramingFields& fields) {
  fields.has_transfer_encoding = true;
  for_each_element(value, [&fields](std::string_view coding) {
    const bool chunked = equals_ignoring_case(coding, "chunked");
    fields.last_coding_is_chunked = chunked;
    if (!chunked) {
      fields.has_other_coding = true;
    } else if (fields.chunked_count < 2) {
      ++fields.chunked_count;
    }
  });
}

void take_connection(std::string_view value, FramingFields& fields) {
  for_each_element(value, [&fields](std::string_view token) {
    if (equals_ignoring_case(token, "close")) fields.connection_close = true;
    if (equals_ignoring_case(token, "keep-alive")) fields.connection_keep_alive = true;
  });
}

void take_expect(std::string_view value, FramingFields& fields) {
  bool any = false;
  for_each_element(value, [&](std::string_view expectation) {
    any = true;
    (equals_ignoring_case(expectation, "100-continue") ? fields.expect_continue
                                                       : fields.expect_other) = true;
  });
  if (!any) fields.expect_other = true;
}

bool valid_ip_literal(std::string_view inside) {
  if (inside.empty()) return false;
  if (inside.front() == 'v' || inside.front() == 'V') {
    const std::size_t dot = inside.find('.');
    return dot != inside.npos && dot > 1 && dot + 1 < inside.size() &&
           all_of_class(inside.substr(1, dot - 1), kHexDigit) &&
           inside.substr(dot + 1).find('%') == inside.npos;
  }
  bool colon = false;
  for (const char c : inside) {
    colon = colon || c == ':';
    if (c != ':' && c != '.' && !has_class(c, kHexDigit)) return false;
  }
  return colon;
}

bool valid_percent_encoding(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size()) return false;
    if (!has_class(text[i + 1], kHexDigit) || !has_class(text[i + 2], kHexDigit)) return false;
  }
  return true;
}

}  // namespace

bool valid_host(std::string_view value) {
  std::string_view port;
  if (!value.empty() && value.front() == '[') {
    const std::size_t close = value.find(']');
    if (close == value.npos || !valid_ip_literal(value.substr(1, close - 1))) return false;
    port = value.substr(close + 1);
  } else {
    const std::size_t colon = value.find(':');
    const std::string_view name = value.substr(0, colon);
    if (!all_of_class(name, kHostChar) || !valid_percent_encoding(name)) return false;
    if (colon == value.npos) return true;
    if (name.empty()) return false;
    port = value.substr(colon);
  }
  if (port.empty()) return true;
  return port.front() == ':' && all_of_class(port.substr(1), kDigit);
}

HttpStatus take_framing_field(std::string_view lower_name, std::string_view value,
                              FramingFields& fields) {
  switch (lower_name.size()) {
    case 4:
      if (lower_name == "host") {
        if (fields.has_host || !valid_host(value)) return 400;
        fields.has_host = true;
      }
      break;
    case 6:
      if (lower_name == "expect") take_expect(value, fields);
      break;
    case 10:
      if (lower_name == "connection") take_connection(value, fields);
      break;
    case 14:
      if (lower_name == "content-length") return take_content_length(value, fields);
      break;
    case 17:
      if (lower_name == "transfer-encoding") take_transfer_encoding(value, fields);
      break;
    default:
      break;
  }
  return kAccepted;
}

Framing judge_framing(const FramingFields& fields, int minor) {
  Framing framing;
  const bool is_1_0 = minor == 0;
  framing.keep_alive = !fields.connection_close && (!is_1_0 || fields.connection_keep_alive);
  framing.echo_keep_alive = is_1_0 && framing.keep_alive;
  if (!is_1_0 && !fields.has_host) {
    framing.status = 400;
    return framing;
  }
  if (fields.has_transfer_encoding) {
    if (is_1_0 || fields.has_content_length || !fields.last_coding_is_chunked ||
        fields.chunked_count != 1) {
      framing.status = 400;
      return framing;
    }
    if (fields.has_other_coding) {
      framing.status = 501;
      return framing;
    }
    framing.chunked = true;
  }
  framing.content_length = fields.content_length;
  if (!is_1_0) {
    if (fields.expect_other) framing.status = 417;
    framing.expect_continue =
        fields.expect_continue && (framing.chunked || framing.content_length > 0);
  }
  return framing;
}

}  // namespace hotlap::server
