// A request line told by two patterns, one for the line and one for the form of its target: what
// the variants that stand on a regular-expression library share, so that they differ in the library
// alone.
#pragma once

#include "server/http/target.h"
#include "server/stages/request_line.h"

namespace hotlap::variants {

// method, target, major, minor.
inline constexpr char kLinePattern[] =
    R"(([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!"$-~]+) HTTP/([0-9])\.([0-9]))";

struct LineGroups {
  std::string_view method;
  std::string_view target;
  std::string_view major;
  std::string_view minor;
};

// MatchLine: bool (std::string_view line, LineGroups& groups). MatchForm: bool (std::string_view
// target), whether it begins as a path or with a scheme.
template <class MatchLine, class MatchForm>
server::HttpStatus parse_by_patterns(std::string_view line, server::RequestLine& out,
                                     MatchLine match_line, MatchForm match_form) {
  using namespace server;
  LineGroups groups;
  if (!match_line(line, groups)) return 400;
  const std::string_view target = groups.target;
  out.method = method_from(groups.method);
  if (out.method != Method::kConnect) {
    if (target == "*") {
      if (out.method != Method::kOptions && out.method != Method::kUnknown) return 400;
    } else if (!match_form(target) || (target.front() != '/' && !valid_absolute_form(target))) {
      // What an authority may hold is semantics that all variants share.
      return 400;
    }
  }
  if (groups.major != "1") return 505;
  if (out.method == Method::kUnknown) return 501;
  out.target = target;
  out.minor = groups.minor.front() - '0';
  return kAccepted;
}

}  // namespace hotlap::variants
