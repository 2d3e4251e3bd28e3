// One request as it is sent, every byte prebuilt, and the reply that is expected of it.
#ifndef HOTLAP_HARNESS_LOAD_REQUEST_H_
#define HOTLAP_HARNESS_LOAD_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/load/endpoint.h"

namespace hotlap::load {

enum class BodyRule {
  kLearned,               // the first whole reply of the expected status sets it for the whole arm
  kLearnedPerConnection,  // … for each connection: a reply that names its peer's port
  kExact,                 // RequestSpec::expected_body
  kAny,                   // only the framing is checked
};

struct RequestSpec {
  std::string method = "GET";
  std::string target = "/";
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  int expected_status = 200;
  BodyRule body_rule = BodyRule::kLearned;
  std::string expected_body{};  // with kExact
  // Besides the rule: so many bytes; and, where it is learned, a body of this SHA-256 (32 bytes;
  // empty: any).
  std::optional<std::uint64_t> expected_length = {};
  std::string expected_sha256{};
  int weight = 1;  // how many turns of the arm's it has
};

struct Request {
  std::string wire;           // the bytes on the connection
  bool head = false;          // the reply has no body, whatever its header says
  int expected_status = 200;  // 0: any
  BodyRule body_rule = BodyRule::kLearned;
  std::string expected_body;
  std::optional<std::uint64_t> expected_length;
  std::string expected_sha256;
};

// Adds Host (from the endpoint) unless given, Content-Length where there is a body, or where the
// method is one that usually has one, unless given or Transfer-Encoding is; and `Connection: close`
// when `keep_alive` is false. A method, target or header that would break the framing (a space or
// control character in a method or target, CR, LF or NUL in a value) is an error: nullopt, and
// `error` names it.
std::optional<Request> build_request(const RequestSpec& spec, const Endpoint& endpoint,
                                     bool keep_alive, std::string& error);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_REQUEST_H_
