// What hotlap-server --list and --describe print, for people and as JSON.
#pragma once

#include <string>

#include "server/core/limits.h"
#include "server/pipeline.h"

namespace hotlap::server {

std::string list_text();
std::string list_json();
// The pipeline line, then what each choice is and costs, then the limits.
std::string describe_text(const Pipeline& pipeline, const Limits& limits);

}  // namespace hotlap::server
