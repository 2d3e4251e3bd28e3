// The forms of a request target, RFC 9112, section 3.2. Nothing is percent-decoded.
#pragma once

#include <string_view>

#include "server/http/chars.h"
#include "server/http/head.h"

namespace hotlap::server {

// `scheme:…`; http and https need an authority with a host and without user information, which must
// be treated as an error (RFC 9110, section 4.2).
bool valid_absolute_form(std::string_view target);

// Whether a target (not empty, of kTargetChar only) has a form that the method may use. CONNECT
// takes an authority, OPTIONS may take `*`; an unknown method is judged later, as unknown.
inline bool valid_target_form(Method method, std::string_view target) {
  if (target.front() == '/' || method == Method::kConnect) return true;
  if (target == "*") return method == Method::kOptions || method == Method::kUnknown;
  return valid_absolute_form(target);
}

// Path and query of a valid target: `http://host/a?b` gives `/a` and `b`, `http://host` gives `/`.
struct TargetParts {
  std::string_view path;
  std::string_view query;
};
TargetParts split_target(std::string_view target);

}  // namespace hotlap::server
