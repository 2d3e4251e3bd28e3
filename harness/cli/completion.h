// Completion scripts of a command tree for bash, zsh and fish. Each stands by itself: it needs no
// package of completions, and does not run the program while one types.
#ifndef HOTLAP_HARNESS_CLI_COMPLETION_H_
#define HOTLAP_HARNESS_CLI_COMPLETION_H_

#include <string>

#include "harness/cli/command_tree.h"

namespace hotlap::cli {

std::string bash_completion(const CommandEntry& program);
std::string zsh_completion(const CommandEntry& program);
std::string fish_completion(const CommandEntry& program);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_COMPLETION_H_
