// The character classes of RFC 9110 that both building a request and reading a reply need.
#ifndef HOTLAP_HARNESS_LOAD_HTTP_TEXT_H_
#define HOTLAP_HARNESS_LOAD_HTTP_TEXT_H_

#include <algorithm>
#include <string_view>

namespace hotlap::load {

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline bool same_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

// A token of RFC 9110 section 5.6.2: a method, a field name.
inline bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// What can stand between the spaces of a request line.
inline bool is_target(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7f;
  });
}

// No control characters but HTAB; bytes from 0x80 are allowed (section 5.5).
inline bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the next element of a comma-separated list off `list`, trimmed; it may be empty.
inline std::string_view next_element(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view element = trimmed(list.substr(0, comma));
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  return element;
}

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_HTTP_TEXT_H_
