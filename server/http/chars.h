// Character classes of RFC 9110 and 3986 as one table of bits: one load a byte.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hotlap::server {

enum CharClass : std::uint8_t {
  kTokenChar = 1u << 0,   // RFC 9110, 5.6.2
  kValueChar = 1u << 1,   // HTAB, SP, visible, and bytes of 0x80 and above
  kTargetChar = 1u << 2,  // what we let into a target: visible ASCII but '#'
  kHostChar = 1u << 3,    // unreserved, sub-delims and '%' of a reg-name
  kDigit = 1u << 4,
  kHexDigit = 1u << 5,
  kAlpha = 1u << 6,
};

namespace chars_internal {
constexpr std::array<std::uint8_t, 256> build() {
  std::array<std::uint8_t, 256> table{};
  constexpr std::string_view token_marks = "!#$%&'*+-.^_`|~";
  constexpr std::string_view host_marks = "-._~!$&'()*+,;=%";
  for (unsigned c = 0; c < 256; ++c) {
    const bool digit = c >= '0' && c <= '9';
    const bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const char as_char = static_cast<char>(c);
    unsigned bits = 0;
    if (digit) bits |= kDigit;
    if (alpha) bits |= kAlpha;
    if (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) bits |= kHexDigit;
    if (c < 128 && (digit || alpha || token_marks.find(as_char) != token_marks.npos)) {
      bits |= kTokenChar;
    }
    if (c < 128 && (digit || alpha || host_marks.find(as_char) != host_marks.npos)) {
      bits |= kHostChar;
    }
    if (c == '\t' || (c >= 0x20 && c != 0x7f)) bits |= kValueChar;
    if (c > 0x20 && c < 0x7f && c != '#') bits |= kTargetChar;
    table[c] = static_cast<std::uint8_t>(bits);
  }
  return table;
}
}  // namespace chars_internal

inline constexpr std::array<std::uint8_t, 256> kCharClasses = chars_internal::build();

constexpr bool has_class(char c, std::uint8_t bits) {
  return (kCharClasses[static_cast<unsigned char>(c)] & bits) != 0;
}
constexpr bool all_of_class(std::string_view text, std::uint8_t bits) {
  for (const char c : text) {
    if (!has_class(c, bits)) return false;
  }
  return true;
}
// A to Z folded, anything else as it is.
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
// `lower` is in lower case already.
constexpr bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (to_lower(text[i]) != lower[i]) return false;
  }
  return true;
}
constexpr std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace hotlap::server
