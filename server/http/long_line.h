// What to answer to a request line that is too long for the request-line stage. Linear, no state.
#pragma once

#include "server/http/head.h"

namespace hotlap::server {

// The status that every request-line variant would give such a line, in the order that
// server/stages/request_line.h fixes; 414 for a line that is long for its target only.
HttpStatus refusal_of_long_line(std::string_view line);

}  // namespace hotlap::server
