// The argument that dispatch variants share: how many threads.
#pragma once

#include <charconv>

#include "server/stages/variant.h"

namespace hotlap::variants {

inline constexpr std::uint64_t kMaxThreads = 256;

// One when none is given. Written back, so that what is echoed is always in full.
inline const char* configure_threads(std::string_view argument, server::StageConfig& config) {
  config.number = 1;
  if (!argument.empty()) {
    const char* const end = argument.data() + argument.size();
    const auto [stop, error] = std::from_chars(argument.data(), end, config.number);
    if (error != std::errc() || stop != end || config.number < 1 || config.number > kMaxThreads) {
      return "the argument is a number of threads from 1 to 256, such as :2";
    }
  }
  config.argument = std::to_string(config.number);
  return nullptr;
}

}  // namespace hotlap::variants
