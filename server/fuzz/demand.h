// How a fuzzer says that a property does not hold.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace hotlap::fuzz {

inline void demand(bool holds, const char* what, const char* variant = "") {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s %s\n", what, variant);
  std::abort();
}

}  // namespace hotlap::fuzz
