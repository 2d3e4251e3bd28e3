// What contract tests and fuzzers' seeds feed to the stages of a request head: every request line
// and header block of the corpus, and every one-byte change of some plain ones.
#pragma once

#include <string>
#include <vector>

#include "server/stages/variant.h"

namespace hotlap::variants {

// Without CRLF, as the stage gets them: the scanner lets no CR or LF through.
std::vector<std::string> request_lines();
// Whole lines with their CRLF, no empty one among them.
std::vector<std::string> header_blocks();

// A readable test name for a variant, wherever GoogleTest prints one.
template <class Stage>
std::string variant_test_name(const Stage* variant) {
  return variant->info.name;
}

}  // namespace hotlap::variants
