// What the build makes of the command line for its installation; hidden from --help:
//   hotlap --generate man DIRECTORY         one page a command
//   hotlap --generate completion SHELL      the script of bash, zsh or fish, on standard output
#ifndef HOTLAP_HARNESS_CLI_GENERATE_H_
#define HOTLAP_HARNESS_CLI_GENERATE_H_

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/cli11.h"

namespace hotlap::cli {

// The exit code where the arguments (less the program's name) ask for something to be generated.
std::optional<int> generate(const CLI::App& app, const std::vector<std::string>& arguments,
                            const std::string& version);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_GENERATE_H_
