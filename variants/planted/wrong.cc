// A variant that accepts what it should, and says another minor version: what the comparison before
// any timing must find.
#include "server/stages/request_line.h"

namespace hotlap::variants {

extern const server::RequestLineStage request_line_scalar;

namespace {

using namespace server;

HttpStatus parse(std::string_view line, RequestLine& out) {
  const HttpStatus status = request_line_scalar.parse(line, out);
  out.minor ^= 1;
  return status;
}

}  // namespace

extern constinit const RequestLineStage request_line_wrong = {
    .info = {.name = "wrong",
             .summary = "planted for a test: gives another version than was sent",
             .costs = "what scalar costs"},
    .parse = parse,
};

}  // namespace hotlap::variants
