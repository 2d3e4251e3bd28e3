// A load's result as a person reads it, in at most 80 columns, and as a program does.
#ifndef HOTLAP_HARNESS_CLI_LOAD_REPORT_H_
#define HOTLAP_HARNESS_CLI_LOAD_REPORT_H_

#include <string>

#include "harness/cli/load_flags.h"
#include "harness/cli/load_result.h"

namespace hotlap::cli {

std::string load_text(const LoadFlags& flags, const LoadResult& result);

// Follows load.schema.json.
std::string load_json(const LoadFlags& flags, const LoadResult& result);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_LOAD_REPORT_H_
