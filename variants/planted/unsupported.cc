// A variant that says of every machine that it cannot run there. Called all the same it would
// answer each request with 500, so that a test which reaches it sees it.
#include "server/stages/request_line.h"

namespace hotlap::variants {
namespace {

using namespace server;

HttpStatus parse(std::string_view, RequestLine&) { return 500; }

const char* supported() { return "it is planted, and no processor has what it asks for"; }

}  // namespace

extern constinit const RequestLineStage request_line_unsupported = {
    .info = {.name = "unsupported",
             .summary = "planted for a test: runs nowhere",
             .costs = "nothing, since it is never called",
             .supported = supported},
    .parse = parse,
};

}  // namespace hotlap::variants
