// Names and lines of other people's programs may hold any bytes; JSON and protobuf hold UTF-8
// alone.
#ifndef HOTLAP_HARNESS_PROFILE_VALID_UTF8_H_
#define HOTLAP_HARNESS_PROFILE_VALID_UTF8_H_

#include <string>
#include <string_view>

namespace hotlap::profile {

// `text` with a '?' for each byte that is not part of a character (RFC 3629).
std::string valid_utf8(std::string_view text);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_VALID_UTF8_H_
