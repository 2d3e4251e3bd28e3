// Hand-written, one pass, a table look-up a byte. Costs no allocation and no copy.
#include "variants/request_line/one_pass.h"

namespace hotlap::variants {
namespace {

using namespace server;

HttpStatus parse(std::string_view line, RequestLine& out) {
  return parse_in_one_pass(line, out, [](const char*, const char* at, const char* end) {
    while (at != end && has_class(*at, kTargetChar)) ++at;
    return at;
  });
}

}  // namespace

extern constinit const RequestLineStage request_line_scalar = {
    .info = {.name = "scalar",
             .summary = "hand-written, one pass over the line",
             .costs = "no allocation, no copy; one table look-up a byte"},
    .parse = parse,
};

}  // namespace hotlap::variants
