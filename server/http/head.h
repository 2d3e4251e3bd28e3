// Words of a request head that stages share: methods, statuses, the parsed request line.
#pragma once

#include <cstdint>
#include <string_view>

namespace hotlap::server {

// The status to answer with; kAccepted when there is nothing to refuse.
using HttpStatus = std::uint16_t;
inline constexpr HttpStatus kAccepted = 0;

enum class Method : std::uint8_t {
  kGet,
  kHead,
  kPost,
  kPut,
  kDelete,
  kConnect,
  kOptions,
  kTrace,
  kPatch,
  kUnknown,
};

constexpr std::uint32_t method_bit(Method method) { return 1u << static_cast<unsigned>(method); }
std::string_view method_name(Method method);
Method method_from(std::string_view token);  // case-sensitive; kUnknown for any other token

struct RequestLine {
  Method method = Method::kUnknown;
  std::string_view target;
  int minor = 1;  // of HTTP/1.minor as received; above 1 is served as 1
};

struct HeaderField {
  std::string_view name;
  std::string_view value;
};

}  // namespace hotlap::server
