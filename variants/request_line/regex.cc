// Two std::regex_match a request, one for the line and one for the form of its target: what one
// server of the origin did. Costs several heap allocations and some hundreds of nanoseconds, and
// recursion by the byte: the limit of the contract keeps it within an ordinary stack.
// GCC 12 with sanitizers warns falsely within <regex>.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>

#include "server/http/target.h"
#include "server/stages/request_line.h"

namespace hotlap::variants {
namespace {

using namespace server;

const std::regex& line_pattern() {
  static const std::regex pattern(
      R"(([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!"$-~]+) HTTP/([0-9])\.([0-9]))", std::regex::optimize);
  return pattern;
}

const std::regex& form_pattern() {
  static const std::regex pattern(R"((/[^]*|[A-Za-z][A-Za-z0-9+.-]*:[^]*))", std::regex::optimize);
  return pattern;
}

std::string_view view(const std::csub_match& match) {
  return {match.first, static_cast<std::size_t>(match.length())};
}

bool valid_form(Method method, std::string_view target) {
  if (method == Method::kConnect) return true;
  if (target == "*") return method == Method::kOptions || method == Method::kUnknown;
  // What an authority may hold is semantics that all variants share.
  return std::regex_match(target.data(), target.data() + target.size(), form_pattern()) &&
         (target.front() == '/' || valid_absolute_form(target));
}

HttpStatus parse(std::string_view line, RequestLine& out) {
  std::cmatch match;
  if (!std::regex_match(line.data(), line.data() + line.size(), match, line_pattern())) return 400;
  const std::string_view target = view(match[2]);
  out.method = method_from(view(match[1]));
  if (!valid_form(out.method, target)) return 400;
  if (*match[3].first != '1') return 505;
  if (out.method == Method::kUnknown) return 501;
  out.target = target;
  out.minor = *match[4].first - '0';
  return kAccepted;
}

}  // namespace

extern constinit const RequestLineStage request_line_regex = {
    .info = {.name = "regex",
             .summary = "two std::regex_match, for the line and for its target",
             .costs = "about 490 ns and several heap allocations"},
    .parse = parse,
};

}  // namespace hotlap::variants
