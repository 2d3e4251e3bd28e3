// See valid_utf8.h.
#include "harness/profile/valid_utf8.h"

#include <cstddef>

namespace hotlap::profile {
namespace {

// Bytes of the character at the front of `text`, which is not empty; 0 where there is none.
size_t character_bytes(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Longer than need be, surrogates, and beyond the last character.
  const unsigned char second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return bytes;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    if (bytes == 0) {
      valid += '?';
      text.remove_prefix(1);
    } else {
      valid += text.substr(0, bytes);
      text.remove_prefix(bytes);
    }
  }
  return valid;
}

}  // namespace hotlap::profile
