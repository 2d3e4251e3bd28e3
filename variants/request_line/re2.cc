// The two patterns of `regex` by RE2: automata instead of backtracking, so that time is linear in
// the line and the stack is flat whatever is sent. Costs no allocation once its automata are warm;
// they are kept a process and guarded by a lock of the library.
#include <re2/re2.h>

#include "variants/request_line/two_patterns.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr int kGroups = 5;  // the whole match and four parts

// Bytes, not UTF-8: what is no ASCII is refused by the pattern, not by a decoder.
const RE2& line_pattern() {
  static const RE2 pattern(kLinePattern, RE2::Latin1);
  return pattern;
}

const RE2& form_pattern() {
  static const RE2 pattern(R"((?s)(?:/.*|[A-Za-z][A-Za-z0-9+.-]*:.*))", RE2::Latin1);
  return pattern;
}

std::string_view view(const re2::StringPiece& piece) { return {piece.data(), piece.size()}; }

bool match_line(std::string_view line, LineGroups& groups) {
  const re2::StringPiece text(line.data(), line.size());
  re2::StringPiece parts[kGroups];
  if (!line_pattern().Match(text, 0, text.size(), RE2::ANCHOR_BOTH, parts, kGroups)) return false;
  groups = {view(parts[1]), view(parts[2]), view(parts[3]), view(parts[4])};
  return true;
}

bool match_form(std::string_view target) {
  const re2::StringPiece text(target.data(), target.size());
  return form_pattern().Match(text, 0, text.size(), RE2::ANCHOR_BOTH, nullptr, 0);
}

HttpStatus parse(std::string_view line, RequestLine& out) {
  return parse_by_patterns(line, out, match_line, match_form);
}

}  // namespace

extern constinit const RequestLineStage request_line_re2 = {
    .info = {.name = "re2",
             .summary = "two RE2 matches, for the line and for its target",
             .costs = "no allocation once warm; two automata run along the line"},
    .parse = parse,
};

}  // namespace hotlap::variants
