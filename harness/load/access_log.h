// One line of a web server's access log, in the common format or the combined one (and those that
// begin like them: a virtual host before, more fields behind). Untrusted text: any bytes give
// either a request or the reason why not. Costs one pass over the line.
#ifndef HOTLAP_HARNESS_LOAD_ACCESS_LOG_H_
#define HOTLAP_HARNESS_LOAD_ACCESS_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace hotlap::load {

// What the log says of a request.
struct LoggedRequest {
  std::string method;  // a token
  std::string target;  // no space or control character in it; escapes of the log undone
  int status = 0;      // 0: none was logged ("-"), or 499 and the like, which no reply had
  std::int64_t unix_s = 0;
};

enum class LineKind : std::uint8_t {
  kRequest,
  kNoRequest,  // a log line, but what the client sent was no HTTP request: "-", bytes of TLS
  kBad,        // no line of such a log; `fault` says why
};

// Leaves `request` in an unknown state unless it is kRequest. `fault` is a string with static
// storage, empty unless kBad.
LineKind parse_log_line(std::string_view line, LoggedRequest& request, std::string_view& fault);

// "10/Oct/2000:13:55:36 -0700" as seconds since 1970; false where it is no such time.
bool parse_log_time(std::string_view text, std::int64_t& unix_s);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_ACCESS_LOG_H_
