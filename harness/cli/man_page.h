// Manual pages in man(7), one a command: hotlap(1) and hotlap-ab(1), ... Every word of them comes
// from the command tree but for the exit codes, which all commands share.
#ifndef HOTLAP_HARNESS_CLI_MAN_PAGE_H_
#define HOTLAP_HARNESS_CLI_MAN_PAGE_H_

#include <string>
#include <vector>

#include "harness/cli/command_tree.h"

namespace hotlap::cli {

struct ManPage {
  std::string file_name;  // "hotlap-ab.1"
  std::string text;
};

// The program's own page first, then one for each of its commands.
std::vector<ManPage> man_pages(const CommandEntry& program, const std::string& version);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_MAN_PAGE_H_
