// Stage `request_line`: method, target and version of `GET /hello HTTP/1.1`, without its CRLF.
// No state. The verdict's order is fixed: not of the shape token SP target SP HTTP/digit.digit, or
// a bad target: 400; else a major version other than 1: 505; else a method unknown: 501.
#pragma once

#include "server/http/head.h"
#include "server/stages/variant.h"

namespace hotlap::server {

// A line beyond this is refused before the stage, by refusal_of_long_line(): its target is within
// its own limit by then, so that method or version are absurd. (std::regex recurses by the byte.)
inline constexpr std::size_t kMaxRequestLineBytes = 8192 + 64;

struct RequestLineStage {
  VariantInfo info;
  // kAccepted and a filled `out` whose views lie in `line`, or the status to answer with.
  HttpStatus (*parse)(std::string_view line, RequestLine& out);
};

}  // namespace hotlap::server
