// Pictures and documents of a run, made by the Python package in analysis/.
#ifndef HOTLAP_HARNESS_CLI_PYTHON_REPORT_H_
#define HOTLAP_HARNESS_CLI_PYTHON_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace hotlap::cli {

// Runs `python -m hotlap_analysis ARGUMENTS…` with its output on ours; an error says how it ended.
// HOTLAP_PYTHON in the environment names another interpreter than the one found at configuration.
absl::Status run_analysis(const std::vector<std::string>& arguments, bool quiet);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_PYTHON_REPORT_H_
