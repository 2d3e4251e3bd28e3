// What the stages are called with: requests as clients send them. The first of each list is the
// typical one, whose figures are shown where there is room for one.
#pragma once

#include <string>
#include <vector>

namespace hotlap::variants {

struct TextInput {
  const char* name;
  std::string text;
};

// A browser's with its query, curl's, one of about 400 bytes as searches make them, and one of
// 4000.
std::vector<TextInput> request_line_inputs();

// A browser's twelve fields with cookies, curl's three, and forty as proxies pile them up.
std::vector<TextInput> header_block_inputs();

}  // namespace hotlap::variants
