// The fixed form of HTTP dates, RFC 9110, 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
#pragma once

#include <cstdint>

namespace hotlap::server {

// Writes exactly 29 bytes for seconds since 1970 (UTC), years 1970 to 9999, without locale or lock.
void format_http_date(std::int64_t unix_s, char* out);

}  // namespace hotlap::server
