// Two std::regex_match a request, one for the line and one for the form of its target: what one
// server of the origin did. Costs several heap allocations and some hundreds of nanoseconds, and
// recursion by the byte: the limit of the contract keeps it within an ordinary stack.
// GCC 12 with sanitizers warns falsely within <regex>.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>

#include "variants/request_line/two_patterns.h"

namespace hotlap::variants {
namespace {

using namespace server;

const std::regex& line_pattern() {
  static const std::regex pattern(kLinePattern, std::regex::optimize);
  return pattern;
}

const std::regex& form_pattern() {
  static const std::regex pattern(R"((/[^]*|[A-Za-z][A-Za-z0-9+.-]*:[^]*))", std::regex::optimize);
  return pattern;
}

std::string_view view(const std::csub_match& match) {
  return {match.first, static_cast<std::size_t>(match.length())};
}

bool match_line(std::string_view line, LineGroups& groups) {
  std::cmatch match;
  if (!std::regex_match(line.data(), line.data() + line.size(), match, line_pattern())) {
    return false;
  }
  groups = {view(match[1]), view(match[2]), view(match[3]), view(match[4])};
  return true;
}

bool match_form(std::string_view target) {
  return std::regex_match(target.data(), target.data() + target.size(), form_pattern());
}

HttpStatus parse(std::string_view line, RequestLine& out) {
  return parse_by_patterns(line, out, match_line, match_form);
}

}  // namespace

extern constinit const RequestLineStage request_line_regex = {
    .info = {.name = "regex",
             .summary = "two std::regex_match, for the line and for its target",
             .costs = "about 490 ns and several heap allocations"},
    .parse = parse,
};

}  // namespace hotlap::variants
