// The Date of a reply (RFC 9110, 5.6.7), formatted once a second and thread. Reading it costs one
// coarse clock read from the vDSO.
#pragma once

#include <array>
#include <ctime>
#include <string_view>

namespace hotlap::reference {

class HttpDate {
 public:
  static constexpr size_t kLength = 29;

  // True where the second has changed since the last call; text() is then new.
  bool refresh();
  std::string_view text() const { return {text_.data(), kLength}; }

 private:
  time_t second_ = -1;
  std::array<char, kLength + 1> text_{};
};

}  // namespace hotlap::reference
